"""Tool `find_references`: every use of a symbol, with its line and its certainty."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import unset_to_none
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import EXCLUSION_REASONS, ExcludedMention, ReferenceReport, SymbolUse
from codecompass.model.queries.search_query import ReferenceQuery
from codecompass.model.states import ResolutionFilter, UseKind
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

MAX_UNREAD = 5
MAX_PROOF_TARGETS = 3


class FindReferencesParams(SymbolParams, frozen=True, kw_only=True):
    kinds: tuple[UseKind, ...] = ()
    resolution: Annotated[ResolutionFilter, Meta(description="Least certainty.")] = "all"
    explain: Annotated[bool, Meta(description="Also prove non-uses.")] = False


def run(host: Host, call: Call, params: FindReferencesParams) -> Answer:
    page = open_page(host, call, params, params.limit, 2 if params.explain else 1)
    query = ReferenceQuery(
        target=read_target(params),
        ref=unset_to_none(params.ref),
        limit=page.end,
        kinds=tuple(params.kinds),
        resolution=params.resolution,
        freshness=read_freshness_policy(host, params),
        explain=params.explain,
    )
    found = host.engine.references(unset_to_none(params.workspace), query, call)
    head = {
        "symbol": shape_symbol(found.symbol),
        "total_references": found.total,
        "by_resolution": found.counts,
        "by_kind": found.kinds,
    }
    if found.in_documents:
        head["in_documents"] = found.in_documents
    if found.excluded:
        head["excluded"] = found.excluded
    if found.unread:
        head["not_searched"] = _shape_unread(found.unread)
    paged: list[tuple[Sequence[Any], Callable[[Any], object]]] = [(found.uses, _identify_place)]
    if params.explain:
        paged.append((found.explained, _identify_place))
    items = page.select(found.state.generation, *paged)
    lists = {"references": [shape_use(use) for use in items.get_items()]}
    if params.explain:
        lists["excluded_mentions"] = [_shape_exclusion(item) for item in items.get_items(1)]
    actions, partial = _suggest_actions(found, params), bool(found.unread)
    return build_lists_answer(
        items, found.state, head, lists, found.others, actions, cut=found.truncated, partial=partial
    )


def _identify_place(item: SymbolUse | ExcludedMention) -> object:
    return item.path, item.line, item.column, item.kind


def _shape_unread(files: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """Shape the files that could not be searched: their number and the first of them."""
    return {"files": len(files), "first": [{"path": path, "reason": reason} for path, reason in files[:MAX_UNREAD]]}


def _shape_exclusion(item: ExcludedMention) -> dict[str, Any]:
    """Shape a mention that is not a use: its location and the proof."""
    shaped: dict[str, Any] = {"path": item.path, "line": item.line, "column": item.column + COLUMN_BASE}
    shaped |= {"kind": item.kind, "reason": item.reason, "proof": _format_proof(item)}
    return shaped | ({"text": item.text} if item.text else {})


def _format_proof(item: ExcludedMention) -> str:
    if item.means:
        places = [f"{node.qualified_name} ({node.path}:{node.line_start})" for node in item.means[:MAX_PROOF_TARGETS]]
        return f"It {'defines' if item.reason == 'definition' else 'means'} {', '.join(places)}."
    reason = EXCLUSION_REASONS[item.reason]
    return f"{reason[:-1]}: {item.receiver}." if item.receiver and item.reason == "outside" else reason


def shape_use(use: SymbolUse) -> dict[str, Any]:
    """Shape one use; the resolution is shown only when it is uncertain."""
    shaped: dict[str, Any] = {"path": use.path, "line": use.line, "column": use.column + COLUMN_BASE, "kind": use.kind}
    if use.resolution != "resolved":
        shaped |= {"resolution": use.resolution, "candidates": use.candidates}
    if use.in_document:
        shaped["in_document"] = True
    if use.inside is not None:
        shaped["in"] = use.inside.qualified_name
    if use.text:
        shaped["text"] = use.text
    return shaped


def _suggest_actions(found: ReferenceReport, params: FindReferencesParams) -> list[dict[str, Any]]:
    """Suggest a narrower call for a truncated answer, or a search when nothing was found."""
    symbol, ref = found.symbol, found.state.ref
    if not found.total:
        return [{"tool": "search_code", "query": symbol.name[:200], "ref": ref}]
    if not found.truncated:
        return []
    again = {"tool": "find_references", "symbol_id": symbol.symbol_id, "ref": ref}
    if params.resolution == "all" and len(found.counts) > 1:
        return [{**again, "resolution": "resolved"}]
    if not params.kinds and "call" in found.kinds and len(found.kinds) > 1:
        return [{**again, "kinds": ["call"]}]
    return [{**again, "limit": 100}] if params.limit < 100 else []


TOOL = Tool(
    name="find_references",
    family="compass",
    summary="Before changing a symbol: every use of it (`name`, handle, or `path`+`line`).",
    params=FindReferencesParams,
    run=run,
    toolsets=("agent",),
    errors=ERRORS,
    positional="name",
)
