"""Tool `read_file`: one whole file, with the files that it imports."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, Line, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.file_reading import Dependency, FileReadResult, ReadQuery

FRAME_BYTES = 200
"""Bytes reserved for what is added after measuring: the note about a cut, and commas."""
DEPENDENCY_SHARE = 0.25
"""The share of the answer that the list of dependencies may take without their contents."""
ERROR_MESSAGES = {
    "FILE_NOT_FOUND": "File not found",
    "FORBIDDEN": "Permission denied",
    "INVALID_REQUEST": "Invalid path",
}
"""The documented messages for a file that is not shown; the reason is in `details`."""
PATH_MESSAGES = {"absolute": "Absolute paths not allowed", "traversal": "Path traversal not allowed"}
"""The documented messages for a path that is refused."""
HINTS = {
    "FILE_NOT_FOUND": "Find the path with search_code, or call sync_repo if the file is new.",
    "FORBIDDEN": "Paths are relative to the root; secrets, ignored files and what lies outside are never read.",
    "INVALID_REQUEST": "Give a path relative to the root, with '/' between its parts.",
}


class ReadFileParams(Params, frozen=True, kw_only=True):
    path: Annotated[str, Meta(description="Or a handle.")]
    includeDeps: bool = False
    maxDepth: Annotated[int, Meta(ge=0, le=1)] = 1
    startLine: Line | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ReadFileParams) -> Answer:
    wanted = params.includeDeps and params.maxDepth > 0
    query = ReadQuery(params.path, wanted, unset_to_none(params.ref), host.defaults.freshness_policy)
    try:
        found = host.engine.read(unset_to_none(params.workspace), query, call)
    except Failure as failure:
        raise _to_documented_failure(failure) from None
    lines = _split_lines(found.content)
    start = unset_to_none(params.startLine) or 1
    if lines and start > len(lines):
        message = f"The file has {len(lines)} lines; line {start} is not among them."
        raise Failure("INVALID_REQUEST", message, {"path": found.path, "lines": len(lines)})
    payload = _build_frame(found, len(lines))
    room = host.defaults.max_response_bytes - len(encode(payload)) - FRAME_BYTES
    rows, room = _list_dependencies(found.dependencies, payload, room)
    text, last, whole = _take_fitting(lines, start, room)
    file = payload["file"]
    file["content"] = text
    if start > 1 or not whole:
        file |= {"startLine": start, "endLine": last}
    if whole:
        _fill_contents(rows, found.dependencies, room - len(encode(text)))
    else:
        file |= {"truncated": True, "nextLine": last + 1}
        _add_note(payload, f"Cut to the size of an answer: call read_file with startLine {last + 1} for the rest.")
    return Answer(payload, found.state, "complete" if whole else "truncated")


def _to_documented_failure(failure: Failure) -> Failure:
    """Convert the failure to read a file to its documented error; other failures are returned unchanged."""
    if failure.code not in ERROR_MESSAGES or "path" not in failure.details:
        return failure
    code, reason = failure.code, failure.details.get("reason")
    message = ERROR_MESSAGES[code]
    if "limit" in failure.details:
        message = "File too large"
    elif reason == "binary":
        code, message = "INVALID_REQUEST", "Not a text file"
    elif reason == "ignored":
        code, message = "FORBIDDEN", ERROR_MESSAGES["FORBIDDEN"]
    elif reason in PATH_MESSAGES:
        message = PATH_MESSAGES[str(reason)]
    facts = {key: value for key, value in failure.details.items() if key in ("path", "size", "limit")}
    why = "It is left out by ignore rules." if reason == "ignored" else failure.message
    known = message in (*ERROR_MESSAGES.values(), *PATH_MESSAGES.values())
    hint = HINTS[code] if known else "Use search_code or grep_codebase to see parts of what is indexed."
    return Failure(code, message, {**facts, "details": why}, hint=hint)


def _split_lines(text: str) -> list[str]:
    """Split into lines that keep their line ends; only `\\n` ends a line."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _build_frame(found: FileReadResult, lines: int) -> dict[str, Any]:
    """Build the payload without file contents."""
    file: dict[str, Any] = {
        "path": found.path, "content": "", "size": found.size, "lines": lines, "language": found.language,
    }  # fmt: skip
    if found.focus is not None:
        file["focus"] = {"startLine": found.focus[0], "endLine": found.focus[1]}
    metadata = {"module": found.module, "role": found.role, "lastModified": found.modified, "ref": found.state.ref,
                "freshness": found.state.freshness}  # fmt: skip
    payload = {"file": file, "dependencies": [], "metadata": {key: value for key, value in metadata.items() if value}}
    for note in found.notes:
        _add_note(payload, note)
    return payload


def _add_note(payload: dict[str, Any], text: str) -> None:
    payload["metadata"].setdefault("notes", []).append(text)


def _list_dependencies(
    dependencies: tuple[Dependency, ...], payload: dict[str, Any], room: int
) -> tuple[list[dict[str, Any]], int]:
    """List as many dependencies as fit, without contents; return them and the bytes that are left."""
    rows: list[dict[str, Any]] = payload["dependencies"]
    most = int(room * DEPENDENCY_SHARE)
    for item in dependencies:
        why = "unreadable" if item.content is None else "size"
        row = {"path": item.path, "type": item.type, "level": 1, "omitted": why}
        size = len(encode(row)) + 1
        if size > most:
            _add_note(payload, f"{len(dependencies) - len(rows)} of {len(dependencies)} dependencies are not listed.")
            room -= 100
            break
        rows.append(row)
        most -= size
        room -= size
    return rows, room


def _take_fitting(lines: list[str], start: int, room: int) -> tuple[str, int, bool]:
    """Return the lines from `start` that fit, the number of the last one, and whether it ends the file."""
    used, last = 0, start - 1
    for line in lines[start - 1 :]:
        used += len(encode(line)) - 2
        if used > room:
            break
        last += 1
    if lines and last < start:
        # A single line that does not fit is cut; a character costs at most six bytes in JSON.
        return lines[start - 1][: max(room // 6, 0)], start, False
    return "".join(lines[start - 1 : last]), last, last == len(lines)


def _fill_contents(rows: list[dict[str, Any]], dependencies: tuple[Dependency, ...], room: int) -> None:
    """Add the contents of the dependencies in order, each whole or not at all."""
    for row, item in zip(rows, dependencies, strict=False):
        size = len(encode(item.content)) if item.content is not None else room + 1
        if size <= room:
            del row["omitted"]
            row["content"] = item.content
            room -= size


TOOL = Tool(
    name="read_file",
    quick=True,
    family="context",
    summary="Read a file; includeDeps adds what it imports.",
    params=ReadFileParams,
    run=run,
    toolsets=("agent",),
    errors=(
        "INVALID_REQUEST", "FORBIDDEN", "FILE_NOT_FOUND", "SYMBOL_NOT_FOUND", "RESULT_NOT_FOUND", "PROJECT_NOT_FOUND",
        "REF_NOT_INDEXED", "NO_INDEX", "INDEX_INCOMPATIBLE", "INDEX_STALE", "RATE_LIMITED", "INTERNAL",
    ),
    positional="path",
    noted=SessionNoteRule("read", result=("file", "path")),
)  # fmt: skip
