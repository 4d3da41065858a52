"""Tool `grep_codebase`: lines that match a regular expression, in the working tree or any ref."""

from dataclasses import replace
from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UNSET, Cursor, Limit, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.filter_params import read_nested_filters
from codecompass.contract.shapes.grep_shapes import build_payload
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepQuery
from codecompass.model.states import Completeness
from codecompass.tools.shapes.paging import open_page


class GrepCodebaseParams(Params, frozen=True, kw_only=True):
    pattern: Annotated[str, Meta(min_length=1, max_length=200)]
    filePattern: str | UnsetType = UNSET
    caseSensitive: bool = False
    limit: Limit = 50
    cursor: Cursor | UnsetType = UNSET
    filters: dict[str, Any] | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: GrepCodebaseParams) -> Answer:
    page = open_page(host, call, params, params.limit)
    query = GrepQuery(
        pattern=params.pattern,
        case_sensitive=params.caseSensitive,
        glob=unset_to_none(params.filePattern),
        filters=read_nested_filters(params.filters, "filters"),
        ref=unset_to_none(params.ref),
        limit=page.end,
        freshness=host.defaults.freshness_policy,
    )
    found = host.engine.grep(unset_to_none(params.workspace), query, call)
    # Files are read as they are now: the matches so far must be the same, whatever the generation.
    items = page.select(0, (found.matches, lambda match: (match.path, match.line)))
    matches = tuple(items.get_items())
    payload = build_payload(replace(found, matches=matches), params.pattern, page.max_bytes)
    payload |= items.make_cursor((len(payload["matches"]),), truncated=found.total > len(found.matches))
    whole = len(payload["matches"]) == len(matches) and found.complete
    completeness: Completeness = "truncated" if not whole else "partial" if found.cut_files else "complete"
    return Answer(payload, found.state, completeness, warnings=found.notes)


TOOL = Tool(
    name="grep_codebase",
    family="context",
    summary="For exact text: lines by RE2 regex, as they are now or in any ref.",
    params=GrepCodebaseParams,
    run=run,
    toolsets=("agent",),
    errors=("INVALID_REQUEST", "PROJECT_NOT_FOUND", "REF_NOT_INDEXED", "INTERNAL"),
    positional="pattern",
    noted=SessionNoteRule("query", argument="pattern"),
)
