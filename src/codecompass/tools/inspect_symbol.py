"""Tool `inspect_symbol`: all facts of one symbol, without its references."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import unset_to_none
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic, Traits
from codecompass.model.history_facts import FileHistory, LineAuthors
from codecompass.model.queries.symbol_inspection import InspectQuery, SymbolInspection
from codecompass.tools.shapes.hit_shapes import COLUMN_BASE
from codecompass.tools.shapes.paging import open_page
from codecompass.tools.shapes.symbol_params import (
    ERRORS,
    SymbolParams,
    build_lists_answer,
    read_freshness_policy,
    read_target,
    shape_symbol,
)

MAX_LIST = 100
"""Most entries shown of one list; the rest is counted."""


class InspectSymbolParams(SymbolParams, frozen=True, kw_only=True):
    authors: Annotated[bool, Meta(description="Also who wrote its lines.")] = False


def run(host: Host, call: Call, params: InspectSymbolParams) -> Answer:
    page = open_page(host, call, params, params.limit)
    query = InspectQuery(
        read_target(params), unset_to_none(params.ref), read_freshness_policy(host, params), params.authors
    )
    found = host.engine.inspect(unset_to_none(params.workspace), query, call)
    head: dict[str, Any] = {
        "symbol": shape_symbol(found.symbol),
        "facts": shape_facts(found),
        "history": shape_history(found.history),
    }
    if found.authors is not None:
        head["authors"] = shape_authors(found.authors)
    if found.risks.uses or found.risks.flows:
        head["risks"] = shape_risks(found.risks)
    head["linted"] = found.linted
    items = page.select(found.state.generation, (found.diagnostics, lambda row: row))
    lists = {"diagnostics": [shape_message(row) for row in items.get_items()]}
    return build_lists_answer(items, found.state, head, lists, found.others, [], cut=False)


def shape_facts(found: SymbolInspection) -> dict[str, Any]:
    """Shape every non-empty fact of a symbol."""
    return shape_traits(found.visibility, found.doc, found.decorators, found.traits)


def shape_traits(visibility: str, doc: str, decorators: tuple[str, ...], traits: Traits) -> dict[str, Any]:
    """Shape every non-empty fact; `left_out` counts the entries cut from long lists."""
    parameters = [
        {key: value for key, value in row._asdict().items() if value or key == "name"} for row in traits.parameters
    ]
    types = [row._asdict() for row in traits.types]
    shaped: dict[str, Any] = {
        "visibility": visibility,
        "doc": doc,
        "decorators": list(decorators),
        "parameters": parameters,
        "returns": traits.returns,
        "marks": list(traits.marks),
        "types": types,
        **_shape_lists(traits),
        "control_flow": {key: value for key, value in traits.flow._asdict().items() if value},
    }
    kept = {key: value for key, value in shaped.items() if value}
    left = {key: len(value) - MAX_LIST for key, value in kept.items() if isinstance(value, list)}
    for key, more in left.items():
        if more > 0:
            kept[key] = kept[key][:MAX_LIST]
    cut = {key: more for key, more in left.items() if more > 0}
    return {**kept, "left_out": cut} if cut else kept


def _shape_lists(traits: Traits) -> dict[str, list[str]]:
    return {
        "bases": list(traits.bases),
        "throws": list(traits.throws),
        "awaits": list(traits.awaits),
        "calls": list(traits.calls),
        "imports": list(traits.imports),
        "uses": list(traits.uses),
        "reads": list(traits.reads),
        "writes": list(traits.writes),
        "mutations": list(traits.mutations),
        "aliases": list(traits.aliases),
    }


def shape_risks(risks: Risks) -> dict[str, Any]:
    """Shape the sources, sinks, sanitizers and flows inside one definition."""
    shaped: dict[str, Any] = {
        f"{kind}s": [
            {"name": item.name, "category": item.category, "severity": item.severity, "line": item.line}
            for item in risks.uses
            if item.kind == kind
        ][:MAX_LIST]
        for kind in ("source", "sink", "sanitizer")
    }
    shaped["flows"] = [
        {
            "flow": item.name,
            "category": item.reach.category,
            "severity": item.severity,
            "source_line": item.origin.line,
            "sink_line": item.reach.line,
            "via": list(item.via),
        }
        for item in risks.flows[:MAX_LIST]
    ]
    return {key: value for key, value in shaped.items() if value}


def shape_message(row: Diagnostic) -> dict[str, Any]:
    place = {"line": row.line, "column": row.col + COLUMN_BASE}
    return {**place, "code": row.code, "message": row.message, "tool": row.tool}


def shape_history(file: FileHistory) -> dict[str, Any]:
    """Shape the git history of the file; without git, the reason."""
    if file.git != "ok" or file.last is None:
        return {"git": file.git, "reason": file.reason} if file.reason else {"git": file.git}
    shaped: dict[str, Any] = {
        "last_author": file.last.author,
        "last_modified": file.last.date,
        "last_commit": file.last.id,
        "commits": file.commits,
        "window": file.window,
    }
    if file.churn is not None:
        shaped["churn"] = file.churn
    if file.history != "complete":
        shaped["history"] = file.history
    if file.uncommitted:
        shaped["uncommitted"] = True
    return shaped


def shape_authors(lines: LineAuthors) -> list[dict[str, Any]]:
    return [{"author": row.author, "lines": row.lines, "latest": row.latest} for row in lines.authors]


TOOL = Tool(
    name="inspect_symbol",
    family="compass",
    summary="All facts of one symbol: parameters, types, what it calls, reads, writes, throws; lint; git history.",
    params=InspectSymbolParams,
    run=run,
    errors=ERRORS,
    positional="name",
)
