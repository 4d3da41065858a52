"""read_file: one file whole, with the files that it imports."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, Line, Ref, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Noted, Params, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.file_reading import Dependency, FileReading, ReadQuery

FRAME_BYTES = 200
"""Room for what is added after the measure: a cut that is said, and commas."""
LISTED = 0.25
"""The part of an answer that the list of dependencies may take without their texts."""
SAID = {
    "FILE_NOT_FOUND": "File not found",
    "FORBIDDEN": "Permission denied",
    "INVALID_REQUEST": "Invalid path",
}
"""The documented words for a file that is not shown; what is behind them stands in `details`."""
SAID_OF_PATHS = {"absolute": "Absolute paths not allowed", "traversal": "Path traversal not allowed"}
"""The documented words for a path that is refused as it is written."""
HINTS = {
    "FILE_NOT_FOUND": "Find the path with search_code, or call sync_repo if the file is new.",
    "FORBIDDEN": "Paths are relative to the root; secrets, ignored files and what lies outside are never read.",
    "INVALID_REQUEST": "Give a path relative to the root, with '/' between its parts.",
}


class ReadFileParams(Params, frozen=True, kw_only=True):
    path: Annotated[str, Meta(min_length=1, description="Relative to the root, or a handle.")]
    includeDeps: bool = False
    maxDepth: Annotated[int, Meta(ge=0, le=1)] = 1
    startLine: Line | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ReadFileParams) -> Answer:
    wanted = params.includeDeps and params.maxDepth > 0
    query = ReadQuery(params.path, wanted, given(params.ref), host.defaults.freshness_policy)
    try:
        found = host.engine.read(given(params.workspace), query, call)
    except Failure as failure:
        raise _worded(failure) from None
    lines = _split(found.content)
    start = given(params.startLine) or 1
    if lines and start > len(lines):
        message = f"The file has {len(lines)} lines; line {start} is not among them."
        raise Failure("INVALID_REQUEST", message, {"path": found.path, "lines": len(lines)})
    payload = _frame(found, len(lines))
    room = host.defaults.max_response_bytes - len(encode(payload)) - FRAME_BYTES
    rows, room = _listed(found.dependencies, payload, room)
    text, last, whole = _fitting(lines, start, room)
    file = payload["file"]
    file["content"] = text
    if start > 1 or not whole:
        file |= {"startLine": start, "endLine": last}
    if whole:
        _fill(rows, found.dependencies, room - len(encode(text)))
    else:
        file |= {"truncated": True, "nextLine": last + 1}
        _note(payload, f"Cut to the size of an answer: call read_file with startLine {last + 1} for the rest.")
    return Answer(payload, found.state, "complete" if whole else "truncated")


def _worded(failure: Failure) -> Failure:
    """The documented error of a file that is not shown; other failures say their own words."""
    if failure.code not in SAID or "path" not in failure.details:
        return failure
    code, reason = failure.code, failure.details.get("reason")
    said = SAID[code]
    if "limit" in failure.details:
        said = "File too large"
    elif reason == "binary":
        code, said = "INVALID_REQUEST", "Not a text file"
    elif reason == "ignored":
        code, said = "FORBIDDEN", SAID["FORBIDDEN"]
    elif reason in SAID_OF_PATHS:
        said = SAID_OF_PATHS[str(reason)]
    facts = {key: value for key, value in failure.details.items() if key in ("path", "size", "limit")}
    why = "It is left out by ignore rules." if reason == "ignored" else failure.message
    known = said in (*SAID.values(), *SAID_OF_PATHS.values())
    hint = HINTS[code] if known else "Use search_code or grep_codebase to see parts of what is indexed."
    return Failure(code, said, {**facts, "details": why}, hint=hint)


def _split(text: str) -> list[str]:
    """Lines with their ends; `\\n` alone ends a line."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _frame(found: FileReading, lines: int) -> dict[str, Any]:
    """The payload without its texts."""
    file: dict[str, Any] = {
        "path": found.path, "content": "", "size": found.size, "lines": lines, "language": found.language,
    }  # fmt: skip
    if found.focus is not None:
        file["focus"] = {"startLine": found.focus[0], "endLine": found.focus[1]}
    metadata = {"module": found.module, "role": found.role, "lastModified": found.modified, "ref": found.state.ref,
                "freshness": found.state.freshness}  # fmt: skip
    payload = {"file": file, "dependencies": [], "metadata": {key: value for key, value in metadata.items() if value}}
    for note in found.notes:
        _note(payload, note)
    return payload


def _note(payload: dict[str, Any], text: str) -> None:
    payload["metadata"].setdefault("notes", []).append(text)


def _listed(
    dependencies: tuple[Dependency, ...], payload: dict[str, Any], room: int
) -> tuple[list[dict[str, Any]], int]:
    """The rows of the dependencies, as many as may stand without their texts, and the room that is left."""
    rows: list[dict[str, Any]] = payload["dependencies"]
    most = int(room * LISTED)
    for item in dependencies:
        why = "unreadable" if item.content is None else "size"
        row = {"path": item.path, "type": item.type, "level": 1, "omitted": why}
        size = len(encode(row)) + 1
        if size > most:
            _note(payload, f"{len(dependencies) - len(rows)} of {len(dependencies)} dependencies are not listed.")
            room -= 100
            break
        rows.append(row)
        most -= size
        room -= size
    return rows, room


def _fitting(lines: list[str], start: int, room: int) -> tuple[str, int, bool]:
    """The lines from the first that is wanted, as many as fit; the number of the last; whether that is the end."""
    used, last = 0, start - 1
    for line in lines[start - 1 :]:
        used += len(encode(line)) - 2
        if used > room:
            break
        last += 1
    if lines and last < start:
        # A single line that is too long for all is cut in itself; a character costs at most six bytes in JSON.
        return lines[start - 1][: max(room // 6, 0)], start, False
    return "".join(lines[start - 1 : last]), last, last == len(lines)


def _fill(rows: list[dict[str, Any]], dependencies: tuple[Dependency, ...], room: int) -> None:
    """The texts of the dependencies, whole or not at all, in their order."""
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
    summary="Read a file, with the files it imports (includeDeps).",
    params=ReadFileParams,
    run=run,
    toolsets=("agent",),
    errors=(
        "INVALID_REQUEST", "FORBIDDEN", "FILE_NOT_FOUND", "SYMBOL_NOT_FOUND", "RESULT_NOT_FOUND", "PROJECT_NOT_FOUND",
        "REF_NOT_INDEXED", "NO_INDEX", "INDEX_INCOMPATIBLE", "INDEX_STALE", "RATE_LIMITED", "INTERNAL",
    ),
    positional="path",
    noted=Noted("read", result=("file", "path")),
)  # fmt: skip
