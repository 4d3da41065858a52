"""Tool `grep_codebase`: lines that match a regular expression, in the working tree or any ref."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UNSET, Limit, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.filter_params import read_nested_filters
from codecompass.contract.shapes.grep_shapes import build_payload
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepQuery
from codecompass.model.states import Completeness


class GrepCodebaseParams(Params, frozen=True, kw_only=True):
    pattern: Annotated[str, Meta(min_length=1, max_length=200)]
    filePattern: Annotated[str, Meta(description="Glob: **/*.ts")] | UnsetType = UNSET
    caseSensitive: bool = False
    limit: Limit = 50
    filters: Annotated[dict[str, Any], Meta(description="As in search_code.")] | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: GrepCodebaseParams) -> Answer:
    query = GrepQuery(
        pattern=params.pattern,
        case_sensitive=params.caseSensitive,
        glob=unset_to_none(params.filePattern),
        filters=read_nested_filters(params.filters, "filters"),
        ref=unset_to_none(params.ref),
        limit=params.limit,
        freshness=host.defaults.freshness_policy,
    )
    found = host.engine.grep(unset_to_none(params.workspace), query, call)
    payload = build_payload(found, params.pattern, host.defaults.max_response_bytes)
    whole = len(payload["matches"]) == len(found.matches) and found.complete
    completeness: Completeness = "truncated" if not whole else "partial" if found.cut_files else "complete"
    return Answer(payload, found.state, completeness, warnings=found.notes)


TOOL = Tool(
    name="grep_codebase",
    family="context",
    summary="Search lines by RE2 regex, in the files as they are now or any ref.",
    params=GrepCodebaseParams,
    run=run,
    toolsets=("agent",),
    errors=("INVALID_REQUEST", "PROJECT_NOT_FOUND", "REF_NOT_INDEXED", "INTERNAL"),
    positional="pattern",
    noted=SessionNoteRule("query", argument="pattern"),
)
