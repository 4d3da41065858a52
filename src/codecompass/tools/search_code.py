"""Tool `search_code`: symbols, snippets and files that match a question or words."""

from typing import Any

from codecompass.contract.fields import UNSET, Query, UnsetType, unset_to_none
from codecompass.contract.filter_params import read_nested_filters
from codecompass.contract.tool import Answer, Host, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import SearchQuery
from codecompass.tools.shapes.followup import repeat_search, suggest_after_search
from codecompass.tools.shapes.hit_shapes import build_hits_answer
from codecompass.tools.shapes.paging import open_page
from codecompass.tools.shapes.retrieval_params import ERRORS, RetrievalParams, to_engine_detail


class SearchCodeParams(RetrievalParams, frozen=True, kw_only=True):
    query: Query
    filters: dict[str, Any] | UnsetType = UNSET


def run(host: Host, call: Call, params: SearchCodeParams) -> Answer:
    page = open_page(host, call, params, params.limit)
    query = SearchQuery(
        text=params.query.strip(),
        ref=unset_to_none(params.ref),
        language=unset_to_none(params.language),
        filters=read_nested_filters(params.filters, "filters"),
        limit=page.end,
        detail=to_engine_detail(params.detail_level),
        context_lines=call.wanted.source_lines if call.wanted else 0,
        facts="brief" if call.wanted and call.wanted.source_lines else "",
        freshness=unset_to_none(params.freshness_policy) or host.defaults.freshness_policy,
    )
    found = host.engine.search(unset_to_none(params.workspace), query, call)
    ref = found.state.ref
    head: dict[str, Any] = {"query_intent": found.intent or "natural_language", "total_candidates": found.total}
    if host.defaults.debug:
        head["debug"] = {"join_status": _count_joined(found)}
    return build_hits_answer(
        found,
        page,
        detail=params.detail_level,
        limit=params.limit,
        compact=params.compact,
        explain_level=unset_to_none(params.ranking_explain_level) or host.defaults.ranking_explain_level,
        typed=True,
        head=head,
        narrower=[repeat_search(query, ref, limit=max(1, params.limit // 2), detail_level="location")],
        actions=suggest_after_search(query, found),
    )


def _count_joined(found: Hits) -> dict[str, int]:
    """Count the hits that have a symbol and those that have none; whole files are not counted."""
    places = [hit for hit in found.hits if hit.result_type != "file"]
    joined = sum(1 for hit in places if hit.symbol_id)
    return {"hits": joined, "misses": len(places) - joined}


TOOL = Tool(
    name="search_code",
    family="compass",
    summary=(
        "First choice: a question, words, path or error. Filters (lang, type, path, …) also as field:value in query."
    ),
    params=SearchCodeParams,
    run=run,
    toolsets=("agent",),
    errors=ERRORS,
    positional="query",
    noted=SessionNoteRule("query", argument="query"),
    preloaded=True,
)
