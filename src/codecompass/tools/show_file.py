"""Tool `show_file`: lines of one file, by number or by the id of a search hit."""

from typing import Any

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, FilePath, Handle, Line, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.queries.file_excerpt import ExcerptQuery
from codecompass.tools.shapes.selection import require_one

FRAME_BYTES = 400
"""Bytes reserved for everything except the text and the path."""


class ShowFileParams(Params, frozen=True, kw_only=True):
    path: FilePath | UnsetType = UNSET
    startLine: Line | UnsetType = UNSET
    endLine: Line | UnsetType = UNSET
    id: Handle | UnsetType = UNSET
    branch: Ref | UnsetType = UNSET
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ShowFileParams) -> Answer:
    path, handle = unset_to_none(params.path), unset_to_none(params.id)
    first, last = unset_to_none(params.startLine), unset_to_none(params.endLine)
    require_one({"path": path, "id": handle})
    if handle is not None and (first is not None or last is not None):
        raise to_invalid_request(
            [make_violation("/id", "not", "id names its own lines; startLine and endLine belong to path")]
        )
    if first is not None and last is not None and last < first:
        raise to_invalid_request(
            [make_violation("/endLine", "minimum", "endLine must not be before startLine", limit=first)]
        )
    query = ExcerptQuery(path, handle, first, last, unset_to_none(params.branch), host.defaults.freshness_policy)
    found = host.engine.excerpt(unset_to_none(params.repoPath), query, call)
    room = max(host.defaults.max_response_bytes - FRAME_BYTES - 2 * len(encode(found.path)), 0)
    lines, whole = take_fitting(found.lines, room)
    payload: dict[str, Any] = {
        "file": found.path,
        "lang": found.language,
        "startLine": found.first,
        "endLine": found.first + len(lines) - 1 if lines else found.first,
        "totalLines": found.total,
        "text": "\n".join(lines),
        "truncated": len(lines) < len(found.lines) or not whole,
        "hash": f"b3:{found.digest}",
        "branch": found.state.ref,
        "freshness": found.state.freshness,
    }
    if payload["truncated"]:
        # The line that was cut is not offered again.
        payload["nextLine"] = payload["endLine"] + 1
    return Answer(payload, found.state)


def take_fitting(lines: tuple[str, ...], room: int) -> tuple[list[str], bool]:
    """Take as many of the first lines as fit, at least part of the first; return whether no line was cut."""
    kept: list[str] = []
    used = 0
    for line in lines:
        used += len(encode(line))
        if used > room:
            break
        kept.append(line)
    if lines and not kept:
        # A character costs at most six bytes in JSON.
        return [lines[0][: room // 6]], False
    return kept, True


TOOL = Tool(
    name="show_file",
    quick=True,
    family="cleats",
    summary="Lines of one file: `path` with startLine and endLine, or the `id` of a search hit.",
    params=ShowFileParams,
    run=run,
    errors=(
        "INVALID_REQUEST", "FORBIDDEN", "FILE_NOT_FOUND", "SYMBOL_NOT_FOUND", "RESULT_NOT_FOUND", "PROJECT_NOT_FOUND",
        "REF_NOT_INDEXED", "NO_INDEX", "INDEX_INCOMPATIBLE", "INDEX_STALE", "INTERNAL",
    ),
    positional="path",
    noted=SessionNoteRule("read", result=("file",)),
)  # fmt: skip
