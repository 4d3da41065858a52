"""Terminal views of what a symbol is related to: its callers and callees, the types above and below it."""

from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.surfaces.cli.views.render import KIND_STYLE, drop_module, format_extent, format_footer
from codecompass.surfaces.cli.views.terminal import format_location, print_hanging, print_pair
from codecompass.surfaces.cli.views.terminal_text import escape

Payload = dict[str, Any]
RESOLUTION_MARKS = {"ambiguous": "?", "unresolved": "~"}
CERTAINTY = {"resolved": "certain", "ambiguous": "likely", "unresolved": "unsure"}
"""How sure a use is, in a word."""
CERTAINTY_HEADINGS = {
    "resolved": "certain: the code shows that this symbol is meant",
    "ambiguous": "? likely: the name may also mean another definition",
    "unresolved": "~ unsure: the same name, and nothing shows what it means",
}


def show_calls(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print callers, then callees, certain ones first; deeper steps are indented."""
    show_subject(out, payload)
    for side, arrow in (("callers", "←"), ("callees", "→")):
        last = "resolved"
        for _, same in groupby(payload.get(side, []), key=_identify_edge):
            edges = list(same)
            if edges[0]["resolution"] != last:
                last = edges[0]["resolution"]
                print_hanging(out, Text(f"  {CERTAINTY_HEADINGS[last]}", style="yellow"), 4)
            _print_edges(out, edges, arrow)
    totals = [
        format_extent(payload, len(payload[side]), payload[f"total_{side}"], side)
        + format_certainty(payload.get(f"{side}_by_resolution", {}))
        for side in ("callers", "callees")
        if f"total_{side}" in payload
    ]
    out.print(format_footer(payload, milliseconds, ", ".join(totals)))


def _identify_edge(edge: Payload) -> tuple[object, ...]:
    """Return what calls of one line have in common: who calls whom, in which file, how certainly."""
    symbol = edge.get("symbol") or {}
    where = (edge["call_site"]["path"], edge.get("depth", 1), edge["resolution"], edge.get("candidates", 1))
    return (symbol.get("path"), symbol.get("line_start"), symbol.get("name"), edge.get("name"), *where)


def _print_edges(out: Console, edges: list[Payload], arrow: str) -> None:
    """Print the calls between two symbols as one line, with all their places."""
    edge, indent = edges[0], 2 * edges[0].get("depth", 1) + 4
    symbol, site = edge.get("symbol"), edge["call_site"]
    line = Text("  " * edge.get("depth", 1) + f"{arrow} ", style="dim")
    line.append(f"{RESOLUTION_MARKS.get(edge['resolution'], ' ')} ", style="yellow")
    name = drop_module(symbol["name"], symbol["path"]) if symbol else edge.get("name") or "file level"
    line.append(escape(name), style="")
    place = format_location(out, site["path"], site["line"], style="none")
    numbers = dict.fromkeys(
        str(one["call_site"]["line"]) for one in edges[1:] if one["call_site"]["line"] != site["line"]
    )
    if numbers:
        place.append(f", {', '.join(numbers)}", style="green")
    if edge["resolution"] != "resolved":
        of = f" (1 of {edge['candidates']} definitions)" if edge.get("candidates", 1) > 1 else ""
        place.append(f"  {CERTAINTY[edge['resolution']]}{of}", style="yellow")
    print_pair(out, line, place, indent)


def format_certainty(counts: dict[str, int]) -> str:
    """Format ` (1 certain, 37 unsure)`; ` (all certain)` when they are."""
    if not counts:
        return ""
    if set(counts) == {"resolved"}:
        return " (all certain)"
    return f" ({', '.join(f'{counts[name]:,} {word}' for name, word in CERTAINTY.items() if counts.get(name))})"


def show_types(out: Console, payload: Payload, milliseconds: float) -> None:
    """Print supertypes, subtypes and members."""
    show_subject(out, payload)
    above, below, members = (payload.get(name, []) for name in ("supertypes", "subtypes", "members"))
    _show_branches(out, above, "↑", 1)
    _show_branches(out, below, "↓", 1)
    owner = payload["symbol"]["name"]
    for member in members:
        line = Text(f"{member['line_start']:>6}  ", style="green")
        line.append(f"{member['kind']} ", style=KIND_STYLE.get(member["kind"], "blue"))
        name = member["name"].removeprefix(owner).lstrip(".:#/\\") or member["name"]
        line.append(escape(name), style="")
        print_hanging(out, line, 10)
    counts = [
        f"{count:,} {name if count != 1 else name.removesuffix('s')}"
        for name, count in (
            ("supertypes", _count_branches(above)), ("subtypes", _count_branches(below)), ("members", len(members))
        )
        if count
    ]  # fmt: skip
    out.print(format_footer(payload, milliseconds, ", ".join(counts) or "no types above or below it, no members"))


def _count_branches(nodes: list[Payload]) -> int:
    return sum(1 + _count_branches(node.get("children", [])) for node in nodes)


def _show_branches(out: Console, nodes: list[Payload], arrow: str, depth: int) -> None:
    for node in nodes:
        line = Text("  " * depth + f"{arrow} ", style="dim")
        # The place beside it names the module.
        line.append(escape(drop_module(node["name"], node.get("path", ""))), style="yellow")
        if "resolution" in node:
            line.append(f"  {CERTAINTY[node['resolution']] if 'path' in node else 'not in this project'}", style="dim")
        if "path" in node:
            print_pair(out, line, format_location(out, node["path"], node["line_start"], style="none"), 2 * depth + 4)
        else:
            print_hanging(out, line, 2 * depth + 4)
        _show_branches(out, node.get("children", []), arrow, depth + 1)


def show_subject(out: Console, payload: Payload) -> None:
    """Print the symbol that was asked about, where else it is declared, and its namesakes."""
    symbol = payload["symbol"]
    line = Text(f"{symbol['kind']} ", style=KIND_STYLE.get(symbol["kind"], "blue"))
    line.append(escape(drop_module(symbol["name"], symbol["path"])), style="bold")
    print_pair(out, line, format_location(out, symbol["path"], symbol["line_start"], style="none"), 2)
    for place in symbol.get("reached_by", []):
        print_hanging(out, Text(f"  re-exported at {escape(place['path'])}:{place['line']}", style="dim"), 4)
    overloads = symbol.get("overloads", [])
    if overloads:
        places = ", ".join(f"{escape(place['path'])}:{place['line']}" for place in overloads[:4])
        more = f" and {len(overloads) - 4} more" if len(overloads) > 4 else ""
        print_hanging(out, Text(f"  declared at {places}{more}", style="dim"), 4)
    for other in payload.get("also_named", []):
        line = Text(f"  other: {escape(drop_module(other['name'], other['path']))}", style="dim")
        print_pair(out, line, format_location(out, other["path"], other["line_start"], style="dim"), 9)
