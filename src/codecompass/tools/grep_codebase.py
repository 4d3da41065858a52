"""Tool `grep_codebase`: lines that match a regular expression, in the working tree or any ref."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, Limit, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.filter_params import read_nested_filters
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepAnswer, GrepMatch, GrepQuery
from codecompass.model.states import Completeness

FRAME_BYTES = 300
"""Bytes reserved for fields that are added after measuring."""
NO_MATCHES = "No matches found for pattern '{}'"
ONE_LINE_HINT = "A pattern matches within one line; look for its parts."


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
    payload = _build_frame(found, params.pattern)
    room = host.defaults.max_response_bytes - len(encode(payload)) - FRAME_BYTES
    rows = _take_fitting(found.matches, room)
    payload["matches"] = rows
    if len(rows) < found.total:
        payload["truncated"] = True
    whole = len(rows) == len(found.matches) and found.complete
    if not found.total:
        payload["message"] = NO_MATCHES.format(params.pattern)
        if "\\n" in params.pattern or "\n" in params.pattern:
            payload["suggestion"] = ONE_LINE_HINT
    elif not found.complete:
        payload["message"] = "Time was up: totalMatches is a lower bound. Narrow with filePattern or a longer pattern."
    elif len(rows) < len(found.matches):
        payload["message"] = f"Cut to the size of an answer: {len(rows)} of {len(found.matches)} matches are shown."
    completeness: Completeness = "truncated" if not whole else "partial" if found.cut_files else "complete"
    return Answer(payload, found.state, completeness, warnings=found.notes)


def _build_frame(found: GrepAnswer, pattern: str) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "matches": [],
        "pattern": pattern,
        "totalMatches": found.total,
        "filesSearched": found.searched,
        "searchTime": round(found.milliseconds),
        "ref": found.state.ref,
        "freshness": found.state.freshness,
    }
    if found.commit:
        payload["asOf"] = found.commit
    if not found.complete or found.cut_files:
        payload["complete"] = False
    if found.notes:
        payload["warnings"] = list(found.notes)
    return payload


def _take_fitting(matches: tuple[GrepMatch, ...], room: int) -> list[dict[str, Any]]:
    """Return as many of the first matches as fit."""
    rows: list[dict[str, Any]] = []
    for match in matches:
        row = _shape_match(match)
        room -= len(encode(row)) + 1
        if room < 0:
            break
        rows.append(row)
    return rows


def _shape_match(match: GrepMatch) -> dict[str, Any]:
    row: dict[str, Any] = {
        "file": match.path,
        "line": match.line,
        "column": match.column,
        "text": match.text,
        "context": {"before": list(match.before), "after": list(match.after)},
    }
    if match.cut:
        row["cut"] = True
    return row


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
