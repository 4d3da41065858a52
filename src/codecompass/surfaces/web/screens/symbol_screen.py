"""A symbol: signature, documentation, facts, callers and callees, types, tests that touch it, history."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codecompass.surfaces.http.answers import HttpError
from codecompass.surfaces.web.code_markup import render_line, render_text, split_lines
from codecompass.surfaces.web.graph_layout import Drawing, GraphEdge, GraphNode, draw_graph
from codecompass.surfaces.web.page_links import PagePlace
from codecompass.surfaces.web.page_request import Outcome, PageRequest, WebPage
from codecompass.surfaces.web.screens.file_screen import find_commit
from codecompass.surfaces.web.screens.name_panel import group_uses

MAX_CODE_LINES = 60
MAX_OPEN = 6
MAX_FACTS = 40
CLASS_KINDS = frozenset({"class", "struct", "interface", "trait", "enum", "type", "impl"})
FACT_ROWS = (("parameters", "Parameters"), ("return_type", "Returns"), ("throws", "Throws"), ("bases", "Bases"),
             ("decorators", "Decorators"), ("reads", "Reads"), ("writes", "Writes"), ("mutations", "Changes"),
             ("awaits", "Awaits"), ("imports", "Imports"))  # fmt: skip
_TEST = re.compile(r"(?i)(^|/)(tests?|specs?|__tests__)(/|$)|(^|[/_.])(test|spec)s?[_.]|_tests?\.")


@dataclass(frozen=True, slots=True)
class CallRow:
    """One caller or callee with the places of its calls."""

    node: GraphNode
    link: str
    sites: tuple[tuple[str, str], ...]
    resolution: str


async def show_symbol(page: PageRequest) -> WebPage:
    """Show a symbol, by its handle or by the name in the query."""
    handle = page.rest or await _find_handle(page)
    found = await page.ask_all(
        about={"tool": "inspect_symbol", "symbol_id": handle, "authors": bool(page.get("authors")) or None},
        calls={"tool": "get_call_graph", "symbol_id": handle, "limit": 100},
        uses={"tool": "find_references", "symbol_id": handle, "limit": 100},
        types={"tool": "get_symbol_hierarchy", "symbol_id": handle, "limit": 60},
        code={"tool": "show_file", "id": handle},
        refs={"tool": "list_refs", "limit": 3},
    )
    symbol = next((one.payload["symbol"] for one in found.values() if "symbol" in one.payload), None)
    if symbol is None:
        raise found["about"].error or HttpError("NOT_FOUND", "No such symbol.")
    opened = [one for one in page.get("open").split(",") if one][:MAX_OPEN]
    graphs = await asyncio.gather(*(page.try_ask("get_call_graph", symbol_id=one, limit=30) for one in opened))
    calls, uses = found["calls"].payload, found["uses"].payload
    callers, callees = (
        group_calls(calls.get("callers", ()), page.place),
        group_calls(calls.get("callees", ()), page.place),
    )
    drawing = draw_calls(symbol, callers, callees, dict(zip(opened, graphs, strict=True)), page.place)
    references = uses.get("references", ())
    tests = [row for row in references if _TEST.search(row["path"])]
    about = found["about"].payload
    model = {
        "symbol": symbol, "facts": list_facts(about.get("facts", {})), "doc": about.get("facts", {}).get("doc", ""),
        "signature": render_text(symbol.get("signature", symbol["name"]), "", symbol["path"]),
        "flow": about.get("facts", {}).get("control_flow", {}), "history": about.get("history", {}),
        "authors": about.get("authors", ()), "problems": about.get("diagnostics", ()),
        "callers": callers, "callees": callees, "total_callers": calls.get("total_callers", 0),
        "total_callees": calls.get("total_callees", 0), "drawing": drawing, "opened": opened,
        "use_groups": group_uses(references, page.place), "total_uses": uses.get("total_references", 0),
        "by_kind": uses.get("by_kind", {}), "by_resolution": uses.get("by_resolution", {}),
        "tests": group_uses(tests, page.place), "test_count": len(tests), "types": found["types"].payload,
        "is_type": symbol["kind"] in CLASS_KINDS, "code": show_code(found["code"], page.place),
        "errors": [one.error for one in found.values() if one.error is not None],
        "expand": make_expansions(drawing, opened, page, symbol["symbol_id"]),
        "file_link": page.place.file(symbol["path"], symbol["line_start"], symbol["line_end"]),
    }  # fmt: skip
    state: Mapping[str, Any] = next(
        (one.payload["metadata"] for one in found.values() if "metadata" in one.payload), {}
    )
    shown_state = {"ref": state.get("ref", ""), "freshness": state.get("freshness_status", "")}
    return WebPage("symbol.html", symbol["name"].rpartition(".")[2], model, {"graph": "symbol_graph.html"},
                commit=find_commit(found["refs"].payload, page.place.at), state=shown_state)  # fmt: skip


async def _find_handle(page: PageRequest) -> str:
    """Return the handle of the symbol that the query names."""
    found = await page.ask("locate_symbol", name=page.get("name") or "?", limit=1)
    if not found["results"]:
        raise HttpError("NOT_FOUND", "No definition has this name.")
    return str(found["results"][0]["symbol_id"])


def is_test(path: str) -> bool:
    """Whether a path looks like a test's."""
    return _TEST.search(path) is not None


def make_node(symbol: Mapping[str, Any]) -> GraphNode:
    """Make the node of a symbol; names outside the repository have no handle."""
    path = symbol.get("path", "")
    *outer, name = str(symbol["name"]).split(".")
    place = f"{path.rpartition('/')[2]}:{symbol['line_start']}" if path else "not in this repository"
    in_class = bool(outer) and bool(path) and not path.rpartition("/")[2].startswith(f"{outer[-1]}.")
    about = f"{outer[-1]} · {place}" if in_class else place
    return GraphNode(str(symbol.get("symbol_id") or f"name:{symbol['name']}"), name, about, symbol.get("kind", ""),
                    is_test(path), ".".join([*outer[-1:], name]))  # fmt: skip


def group_calls(rows: Iterable[Mapping[str, Any]], place: PagePlace) -> list[CallRow]:
    """Group call sites by symbol; symbols of tests come last."""
    grouped: dict[str, tuple[GraphNode, list[tuple[str, str]], str]] = {}
    for row in rows:
        symbol = row.get("symbol") or {"name": row.get("name", "?")}
        node = make_node(symbol)
        site = row["call_site"]
        spot = (f"{site['path']}:{site['line']}", place.file(site["path"], site["line"]))
        known = grouped.setdefault(node.id, (node, [], row.get("resolution", "resolved")))
        known[1].append(spot)
    rows_ = [CallRow(node, "" if node.id.startswith("name:") else place.symbol(node.id), tuple(sites), how)
             for node, sites, how in grouped.values()]  # fmt: skip
    return sorted(rows_, key=lambda row: (row.node.test, row.resolution != "resolved"))


def draw_calls(
    symbol: Mapping[str, Any], callers: Sequence[CallRow], callees: Sequence[CallRow], opened: Mapping[str, Outcome],
    place: PagePlace,
) -> Drawing:  # fmt: skip
    """Draw the neighbourhood of a symbol; each opened neighbour adds its own outside it."""
    middle = make_node(symbol)
    inside = [row for row in callees if row.link]
    layers: dict[int, dict[str, GraphNode]] = {0: {middle.id: middle}, -1: {}, 1: {}}
    edges = []
    for row in callers:
        layers[-1][row.node.id] = row.node
        edges.append(GraphEdge(row.node.id, middle.id, row.resolution))
    for row in inside:
        layers[1][row.node.id] = row.node
        edges.append(GraphEdge(middle.id, row.node.id, row.resolution))
    for handle, outcome in opened.items():
        for side, field in ((-1, "callers"), (1, "callees")):
            if handle in layers[side]:
                for row in group_calls(outcome.payload.get(field, ()), place):
                    if row.link and row.node.id not in layers[side] and row.node.id != middle.id:
                        layers.setdefault(2 * side, {})[row.node.id] = row.node
                        ends = (row.node.id, handle) if side < 0 else (handle, row.node.id)
                        edges.append(GraphEdge(*ends, row.resolution))
    return draw_graph({layer: list(nodes.values()) for layer, nodes in layers.items() if nodes}, edges)


def make_expansions(drawing: Drawing, opened: Sequence[str], page: PageRequest, middle: str) -> dict[str, str]:
    """Make the addresses that open or close each neighbour of the middle."""
    found = {}
    for box in drawing.boxes:
        if abs(box.layer) == 1:
            rest = [one for one in opened if one != box.node.id]
            wanted = rest if box.node.id in opened else [*rest, box.node.id][-MAX_OPEN:]
            found[box.node.id] = page.place.symbol(middle, open=",".join(wanted)) + "#graph"
    return found


def list_facts(facts: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """List the facts of a definition as rows of words."""
    rows = []
    for name, label in FACT_ROWS:
        value = facts.get(name)
        if value:
            values = value if isinstance(value, (list, tuple)) else [value]
            rows.append((label, [_show_fact(one) for one in values][:MAX_FACTS]))
    return rows


def _show_fact(value: object) -> str:
    if isinstance(value, Mapping):
        name, kind = str(value.get("name", "")), value.get("type")
        return f"{name}: {kind}" if kind else name
    return str(value)


def show_code(outcome: Outcome, place: PagePlace) -> dict[str, Any]:
    """Show the first lines of the definition, highlighted."""
    if outcome.error is not None:
        return {}
    found = outcome.payload
    lines = split_lines(found["text"], found["lang"] or "", found["file"])
    shown = lines[:MAX_CODE_LINES]
    return {
        "lines": [(found["startLine"] + n, render_line(line), place.file(found["file"], found["startLine"] + n))
                  for n, line in enumerate(shown)],
        "more": len(lines) - len(shown),
    }  # fmt: skip
