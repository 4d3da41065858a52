"""Tool `context_search`: search recorded decisions, with whether each still holds."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, Cursor, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.shapes.memory_shapes import shape_hit, shape_nearest, shape_searched
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import MemoryQuery
from codecompass.model.states import Completeness
from codecompass.tools.shapes.paging import open_page

FALLBACK = "Use grep_codebase for text search"
UNSEARCHED = "Not everything was searched; something may be recorded."
NO_EMBEDDINGS = "No embeddings found. Run initial session to generate context."
"""The documented message for a project without an index."""
FRAME_BYTES = 300
Query = Annotated[str, Meta(min_length=3, max_length=20_000)]


class ContextSearchParams(Params, frozen=True, kw_only=True):
    query: Query
    type: Literal["all", "pattern", "rule", "decision", "issue"] = "all"
    module: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=20)] = 5
    cursor: Cursor | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ContextSearchParams) -> Answer:
    page = open_page(host, call, params, params.limit, fixed_limit=True)
    query = MemoryQuery(
        text=params.query,
        type="" if params.type == "all" else params.type,
        module=unset_to_none(params.module) or "",
        limit=page.end,
        page_size=params.limit,
        ref=unset_to_none(params.ref),
        freshness=host.defaults.freshness_policy,
        session=call.session,
    )
    try:
        found = host.engine.recall(unset_to_none(params.workspace), query, call)
    except Failure as failure:
        failure.details.setdefault("fallback", FALLBACK)
        if failure.code == "NO_INDEX":
            failure.details.setdefault("details", failure.message)
            failure.message = NO_EMBEDDINGS
        raise
    items = page.select(0, (found.hits, lambda hit: (hit.kind, hit.discovery.id, hit.discovery.source)))
    payload: dict[str, Any] = {
        "results": [shape_hit(hit) for hit in items.get_items()],
        "query": params.query,
        "totalFound": found.total,
        "searchTime": found.milliseconds,
        "searched": shape_searched(found.searched),
        "ref": found.state.ref,
    }
    if not found.hits:
        payload |= {"message": "Nothing recorded." if found.searched.complete else UNSEARCHED, "suggestion": FALLBACK}
        if found.nearest:
            payload["nearest"] = [shape_nearest(hit) for hit in found.nearest]
    cut = _drop_overflow(payload, page.max_bytes - FRAME_BYTES)
    payload |= items.make_cursor((len(payload["results"]),), truncated=found.total > len(found.hits))
    whole: Completeness = "complete" if found.searched.complete else "partial"
    return Answer(payload, found.state, "truncated" if cut else whole)


def _drop_overflow(payload: dict[str, Any], room: int) -> bool:
    """Drop the last results until the answer fits; return whether any was dropped."""
    results, dropped = payload["results"], 0
    while results and len(encode(payload)) > room:
        results.pop()
        dropped += 1
    if dropped:
        payload["omitted"] = dropped
        payload["suggestion"] = "Ask for fewer results (limit), or narrow by type and module."
    return bool(dropped)


TOOL = Tool(
    name="context_search",
    family="context",
    summary="Why it is so: recorded decisions, rules, patterns, issues, and whether they hold.",
    params=ContextSearchParams,
    run=run,
    toolsets=("agent",),
    errors=(
        "INVALID_REQUEST", "FORBIDDEN", "PROJECT_NOT_FOUND", "REF_NOT_INDEXED", "NO_INDEX", "INDEX_INCOMPATIBLE",
        "INDEX_STALE", "RATE_LIMITED", "INTERNAL",
    ),
    positional="query",
    noted=SessionNoteRule("query", argument="query"),
)  # fmt: skip
