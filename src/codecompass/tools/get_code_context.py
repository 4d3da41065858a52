"""Tool `get_code_context`: the code that answers a question, within a token budget."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.encoding import encode
from codecompass.contract.fields import (
    UNSET,
    FreshnessPolicy,
    Language,
    Query,
    Ref,
    UnsetType,
    Workspace,
    unset_to_none,
)
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.queries.context_bundle import (
    SECTIONS,
    ContextBundle,
    ContextBundleQuery,
    ContextSnippet,
    OmittedSnippet,
)
from codecompass.model.states import BundleSection
from codecompass.tools.shapes.hit_shapes import assess_completeness, filter_text_gaps, list_gap_warnings
from codecompass.tools.shapes.retrieval_params import ERRORS
from codecompass.tools.shapes.token_budget import estimate_source_tokens


class GetCodeContextParams(Params, frozen=True, kw_only=True):
    query: Query
    max_tokens: Annotated[int, Meta(ge=500)] = 4_000
    sections: tuple[BundleSection, ...] = ()
    language: Language | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: GetCodeContextParams) -> Answer:
    query = ContextBundleQuery(
        text=params.query.strip(),
        max_tokens=params.max_tokens,
        sections=tuple(name for name in SECTIONS if name in params.sections) or SECTIONS,
        language=unset_to_none(params.language),
        ref=unset_to_none(params.ref),
        freshness=unset_to_none(params.freshness_policy) or host.defaults.freshness_policy,
    )
    found = host.engine.bundle(unset_to_none(params.workspace), query, estimate_piece_cost, call)
    ref = found.state.ref
    payload: dict[str, Any] = {
        "query_intent": found.intent,
        "items": [shape_piece(piece) for piece in found.pieces],
        "by_section": found.counts,
        "estimated_tokens": found.tokens,
        "total_candidates": found.total,
    }
    if found.left_out:
        payload["left_out"] = {"count": found.left_out_count, "first": [_shape_omission(one) for one in found.left_out]}
    payload["suggested_next_actions"] = _suggest_actions(found, params, ref)
    cut = found.left_out_count > 0 or not all(piece.whole for piece in found.pieces)
    gaps = filter_text_gaps(found.state)
    whole = assess_completeness(found.state, cut=cut, gaps=gaps)
    return Answer(payload, found.state, whole, warnings=list_gap_warnings(gaps))


def estimate_piece_cost(piece: ContextSnippet) -> int:
    """Estimate the tokens of a piece in the answer."""
    return estimate_source_tokens(encode(shape_piece(piece)).decode()) + 1


def shape_piece(piece: ContextSnippet) -> dict[str, Any]:
    shaped = {
        "section": piece.section,
        "path": piece.path,
        "line_start": piece.line_start,
        "line_end": piece.line_end,
        "kind": piece.kind,
        "name": piece.name,
        "symbol_id": piece.symbol_id,
        "language": piece.language,
        "why": piece.why,
        "code": piece.code,
    }
    return {key: value for key, value in shaped.items() if value != ""}


def _shape_omission(one: OmittedSnippet) -> dict[str, Any]:
    shaped = {"section": one.section, "path": one.path, "line": one.line_start, "name": one.name}
    return {key: value for key, value in shaped.items() if value != ""}


def _suggest_actions(found: ContextBundle, params: GetCodeContextParams, ref: str) -> list[dict[str, Any]]:
    if found.state.indexing == "not_indexed":
        return [{"tool": "index_repo", "ref": ref}]
    if not found.pieces:
        return [{"tool": "search_code", "query": params.query[:200], "ref": ref}]
    named = [one.symbol_id for one in found.left_out if one.symbol_id]
    return [{"tool": "find_references", "symbol_id": named[0], "ref": ref}] if named else []


TOOL = Tool(
    name="get_code_context",
    family="compass",
    summary="To understand a topic: definitions, callers, tests, docs within max_tokens.",
    params=GetCodeContextParams,
    run=run,
    toolsets=("agent",),
    errors=ERRORS,
    positional="query",
    noted=SessionNoteRule("query", argument="query"),
)
