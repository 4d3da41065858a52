"""Tool `get_call_graph`: callers and callees of a symbol, several steps deep."""

from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import unset_to_none
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import CallEdge, CallGraph
from codecompass.model.queries.search_query import GraphQuery
from codecompass.model.states import CallDirection
from codecompass.tools.shapes.hit_shapes import COLUMN_BASE
from codecompass.tools.shapes.paging import open_page
from codecompass.tools.shapes.symbol_params import (
    ERRORS,
    SymbolParams,
    build_lists_answer,
    read_freshness_policy,
    read_target,
    shape_brief,
    shape_symbol,
)


class GetCallGraphParams(SymbolParams, frozen=True, kw_only=True):
    direction: CallDirection = "both"
    depth: Annotated[int, Meta(ge=1, le=5)] = 1


def run(host: Host, call: Call, params: GetCallGraphParams) -> Answer:
    page = open_page(host, call, params, params.limit, 2 if params.direction == "both" else 1)
    query = GraphQuery(
        target=read_target(params),
        direction=params.direction,
        depth=params.depth,
        ref=unset_to_none(params.ref),
        limit=page.end,
        freshness=read_freshness_policy(host, params),
    )
    found = host.engine.call_graph(unset_to_none(params.workspace), query, call)
    head: dict[str, Any] = {"symbol": shape_symbol(found.symbol), "depth": found.depth}
    sides = {"callers": found.callers, "callees": found.callees}
    shown = [side for side in sides if params.direction in (side, "both")]
    items = page.select(found.state.generation, *((sides[side], _identify_edge) for side in shown))
    lists = {side: [shape_edge(edge) for edge in items.get_items(at)] for at, side in enumerate(shown)}
    if params.direction != "callees":
        head |= {"total_callers": found.total_callers, "callers_by_resolution": found.caller_counts}
    if params.direction != "callers":
        head |= {"total_callees": found.total_callees, "callees_by_resolution": found.callee_counts}
    if found.guesses_left_out:
        head["unresolved_left_out"] = found.guesses_left_out
    return build_lists_answer(
        items, found.state, head, lists, found.others, _suggest_actions(found, params, empty=not any(lists.values())),
        cut=found.truncated, partial=bool(found.unfollowed), warnings=tuple(_list_warnings(found)),
    )  # fmt: skip


def _identify_edge(edge: CallEdge) -> object:
    return edge.path, edge.line, edge.column, edge.depth, edge.symbol.symbol_id if edge.symbol else edge.name


def _suggest_actions(found: CallGraph, params: GetCallGraphParams, *, empty: bool) -> list[dict[str, Any]]:
    """Suggest where left-out calls are listed, or a smaller call when the answer was cut."""
    handle = {"symbol_id": found.symbol.symbol_id, "ref": found.state.ref}
    if empty:
        return [{"tool": "find_references", **handle}]
    if found.guesses_left_out:
        return [{"tool": "find_references", **handle, "kinds": ["call"], "limit": 100}]
    if found.truncated and (params.direction == "both" or params.depth > 1):
        side = params.direction if params.direction != "both" else "callers"
        return [{"tool": "get_call_graph", **handle, "direction": side, "depth": 1, "limit": 100}]
    return []


def _list_warnings(found: CallGraph) -> Iterator[str]:
    if found.guesses_left_out:
        yield (
            f"'{found.symbol.name[:80]}' is a common name: {found.guesses_left_out} more calls have it, "
            "and nothing says that they mean this symbol. They are counted but not listed."
        )
    if found.unfollowed:
        yield f"Calls of {found.unfollowed} symbols were not followed: they are uncertain, or the graph is too large."


def shape_edge(edge: CallEdge) -> dict[str, Any]:
    """Shape one call: the other symbol, the call site, and the certainty."""
    shaped: dict[str, Any] = {}
    if edge.symbol is not None:
        shaped["symbol"] = shape_brief(edge.symbol)
    else:
        shaped["name"] = edge.name
    shaped["call_site"] = {"path": edge.path, "line": edge.line, "column": edge.column + COLUMN_BASE}
    if edge.depth > 1:
        shaped |= {"depth": edge.depth, "via": edge.via}
    shaped["resolution"] = edge.resolution
    if edge.candidates > 1:
        shaped["candidates"] = edge.candidates
    return shaped


TOOL = Tool(
    name="get_call_graph",
    family="compass",
    summary="Callers and callees of a symbol, with call sites.",
    params=GetCallGraphParams,
    run=run,
    errors=ERRORS,
    positional="name",
)
