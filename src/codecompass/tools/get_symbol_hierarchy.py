"""Tool `get_symbol_hierarchy`: containers and members of a symbol, its supertypes and subtypes."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import unset_to_none
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import HierarchyNode
from codecompass.model.queries.search_query import HierarchyQuery
from codecompass.model.states import HierarchyDirection
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


class GetSymbolHierarchyParams(SymbolParams, frozen=True, kw_only=True):
    direction: HierarchyDirection = "both"
    depth: Annotated[int, Meta(ge=1, le=10)] = 3


def run(host: Host, call: Call, params: GetSymbolHierarchyParams) -> Answer:
    page = open_page(host, call, params, params.limit, 1 if params.direction == "up" else 2)
    query = HierarchyQuery(
        target=read_target(params),
        direction=params.direction,
        depth=params.depth,
        ref=unset_to_none(params.ref),
        limit=page.end,
        freshness=read_freshness_policy(host, params),
    )
    found = host.engine.hierarchy(unset_to_none(params.workspace), query, call)
    head: dict[str, Any] = {"symbol": shape_symbol(found.symbol)}
    lists = {"containers": [shape_brief(node) for node in found.containers]}
    if params.direction == "both":
        lists["supertypes"] = [shape_branch(node) for node in found.supertypes]
    if params.direction == "up":
        items = page.select(found.state.generation, (found.supertypes, _identify_branch))
        lists["supertypes"] = [shape_branch(node) for node in items.get_items()]
    else:
        below, members = (found.subtypes, _identify_branch), (found.members, lambda node: node.symbol_id)
        items = page.select(found.state.generation, below, members)
        lists["subtypes"] = [shape_branch(node) for node in items.get_items()]
        lists["members"] = [shape_brief(node) for node in items.get_items(1)]
    actions: list[dict[str, Any]] = []
    if found.truncated:
        outline = {"tool": "get_file_outline", "symbol_id": found.symbol.symbol_id, "ref": found.state.ref}
        actions = [outline]
    return build_lists_answer(items, found.state, head, lists, found.others, actions, cut=found.truncated)


def _identify_branch(node: HierarchyNode) -> object:
    return node.symbol.symbol_id if node.symbol else node.name


def shape_branch(node: HierarchyNode) -> dict[str, Any]:
    """Shape a type with its supertypes or subtypes; a type outside the repository has only its name."""
    shaped: dict[str, Any] = shape_brief(node.symbol) if node.symbol else {"name": node.name}
    if node.resolution != "resolved":
        shaped["resolution"] = node.resolution
    if node.children:
        shaped["children"] = [shape_branch(child) for child in node.children]
    return shaped


TOOL = Tool(
    name="get_symbol_hierarchy",
    family="compass",
    summary="Containers and members of a symbol, and the types above and below it.",
    params=GetSymbolHierarchyParams,
    run=run,
    errors=ERRORS,
    positional="name",
)
