"""get_call_graph: who calls a symbol and whom it calls, several steps deep."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from codecompass.contract.fields import given
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.navigation import CallEdge
from codecompass.model.query import GraphQuery
from codecompass.tools.following import ERRORS, SymbolParams, followed, policy, shape_brief, shape_symbol, target_of


class GetCallGraphParams(SymbolParams, frozen=True, kw_only=True):
    direction: Literal["callers", "callees", "both"] = "both"
    depth: Annotated[int, Meta(ge=1, le=5)] = 1


def run(host: Host, call: Call, params: GetCallGraphParams) -> Answer:
    query = GraphQuery(
        target=target_of(params),
        direction=params.direction,
        depth=params.depth,
        ref=given(params.ref),
        limit=params.limit,
        freshness=policy(host, params),
    )
    found = host.engine.call_graph(given(params.workspace), query, call)
    head: dict[str, Any] = {"symbol": shape_symbol(found.symbol), "depth": found.depth}
    lists: dict[str, list[dict[str, Any]]] = {}
    if params.direction != "callees":
        head["total_callers"] = found.total_callers
        lists["callers"] = [shape_edge(edge) for edge in found.callers]
    if params.direction != "callers":
        head["total_callees"] = found.total_callees
        lists["callees"] = [shape_edge(edge) for edge in found.callees]
    actions: list[dict[str, Any]] = []
    if not any(lists.values()):
        actions = [{"tool": "find_references", "symbol_id": found.symbol.symbol_id, "ref": found.state.ref}]
    elif found.truncated and (params.direction == "both" or params.depth > 1):
        side = params.direction if params.direction != "both" else "callers"
        again = {"tool": "get_call_graph", "symbol_id": found.symbol.symbol_id, "ref": found.state.ref}
        actions = [{**again, "direction": side, "depth": 1, "limit": 100}]
    return followed(host, found.state, head, lists, found.others, actions, cut=found.truncated)


def shape_edge(edge: CallEdge) -> dict[str, Any]:
    """One call: the far end, and where it is written."""
    shaped: dict[str, Any] = {}
    if edge.symbol is not None:
        shaped["symbol"] = shape_brief(edge.symbol)
    else:
        shaped["name"] = edge.name
    shaped["call_site"] = {"path": edge.path, "line": edge.line, "column": edge.column}
    if edge.depth > 1:
        shaped |= {"depth": edge.depth, "via": edge.via}
    if edge.resolution != "resolved":
        shaped["resolution"] = edge.resolution
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
