"""Tool `search`: search code, prose, comments and records by words and filters, one list for each."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from codecompass.contract.fields import UNSET, Cursor, Query, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.filter_params import add_filter_fields, read_filters
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import SearchBackend, TextMode
from codecompass.tools.shapes.hit_lists import HitShape, build_answer
from codecompass.tools.shapes.paging import open_page

MODES: dict[str, tuple[TextMode, ...]] = {
    "code": ("code",),
    "prose": ("prose",),
    "extracted-prose": ("extracted-prose",),
    "records": ("records",),
    "all": ("code", "prose", "extracted-prose", "records"),
    "both": ("code", "prose"),
    "": ("code", "prose", "extracted-prose"),
}
"""The kinds of text of each `mode`; without a mode all but records, which a filter can add."""

NO_VECTORS = "There are no vectors to compare, so the search went by words alone; index_status says why (models)."


class SelectionParams(Params, frozen=True, kw_only=True):
    """Parameters of a search without its filters."""

    query: Query
    repoPath: Workspace | UnsetType = UNSET
    mode: Literal["code", "prose", "extracted-prose", "records", "all", "both"] | UnsetType = UNSET
    backend: SearchBackend = "auto"
    output: Literal["compact", "full", "json"] = "compact"
    ann: bool | None = None
    top: Annotated[int, Meta(le=100, description="Hits in each mode, at least 1.")] = 5
    cursor: Cursor | UnsetType = UNSET
    context: Annotated[int, Meta(ge=0, le=50, description="Lines around each hit.")] = 0
    branch: Ref | UnsetType = UNSET
    case: Annotated[bool, Meta(description="caseFile and caseTokens.")] = False
    caseFile: bool = False
    caseTokens: bool = False
    explain: Annotated[bool, Meta(description="Add scoreBreakdown.")] = False


SearchParams = add_filter_fields("SearchParams", SelectionParams, __name__)


def run(host: Host, call: Call, params: SelectionParams) -> Answer:
    filters = read_filters(params)
    whole = params.output != "compact"
    query = SearchQuery(
        text=params.query.strip(),
        ref=unset_to_none(params.branch),
        freshness=host.defaults.freshness_policy,
        filters=filters,
        case_file=params.case or params.caseFile,
        case_tokens=params.case or params.caseTokens,
        backend=params.backend,
        context_lines=max(params.context, call.wanted.source_lines if call.wanted else 0),
        facts="whole" if whole else "brief",
        meaning=params.ann is not False,
    )
    modes = MODES[unset_to_none(params.mode) or ""]
    if not unset_to_none(params.mode) and host.engine.needs_records(query):
        modes += ("records",)
    page = open_page(host, call, params, max(1, params.top), len(modes))
    query = replace(query, limit=page.end)
    found = dict(zip(modes, host.engine.search_modes(unset_to_none(params.repoPath), query, modes, call), strict=True))
    state = next(iter(found.values())).state
    if state.generation == 0:
        raise Failure("NO_INDEX", f"The ref '{state.ref[:100]}' has not been indexed yet.")
    vectors = any(hits.vectors for hits in found.values())
    warnings = (NO_VECTORS,) if params.ann and not vectors else ()
    shape = HitShape(
        whole=whole,
        context=params.context > 0,
        explain=params.explain,
        source=bool(call.wanted and call.wanted.source_lines),
    )
    head: dict[str, Any] = {"backend": "sqlite" if params.backend == "sqlite" else "tantivy"}
    return build_answer(head, found, shape, page, warnings)


TOOL = Tool(
    name="search",
    family="cleats",
    summary=(
        "Search code, docs, comments and records. Query: words, \"phrases\", -not, AND/OR/NOT, (groups), field:value"
        " filters. All filters must hold; text ones match any case unless said."
    ),
    params=SearchParams,
    run=run,
    errors=(
        "INVALID_REQUEST", "PROJECT_NOT_FOUND", "NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE", "INDEX_STALE",
        "CAPABILITY_MISSING", "INTERNAL",
    ),
    positional="query",
    noted=SessionNoteRule("query", argument="query"),
)  # fmt: skip
