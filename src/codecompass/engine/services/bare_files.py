"""Bare files: read one file without an index, from the working tree or a commit, with the same path checks."""

from collections.abc import Mapping
from dataclasses import replace

from codecompass.engine.grep.file_source import open_unindexed_source
from codecompass.engine.memory.corpus import derive_module
from codecompass.engine.memory.memory_summaries import classify_role
from codecompass.engine.results.source_file import MAX_SHOWN_BYTES, make_too_large_failure
from codecompass.engine.workspace.project import Project
from codecompass.errors import ErrorCode, Failure
from codecompass.languages.detection import HEAD_BYTES
from codecompass.model.call import Call
from codecompass.model.ids import classify_handle
from codecompass.model.path_text import display_path
from codecompass.model.queries.file_reading import FileReadResult, ReadQuery
from codecompass.repo.files.path_guard import check_path, read_inside, resolve_inside
from codecompass.repo.files.skip_list import has_binary_name
from codecompass.repo.workspace import TargetRef
from codecompass.text.sniff import LATIN1, LOSSY, decode, is_binary

NO_INDEX_CODES: tuple[ErrorCode, ...] = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")
"""Failure codes that mean that there is no index to read from."""
NOT_INDEXED_NOTE = "The ref is not indexed: the file was read directly, and its dependencies are unknown."
ENCODING_NOTES = {
    LOSSY: "Some bytes are not valid UTF-8; they were replaced with U+FFFD.",
    LATIN1: "The file is not UTF-8. It was read as Latin-1 (ISO 8859-1): no byte is lost, but if it has another "
    "encoding, letters beyond ASCII are wrong. Writing it back as UTF-8 changes its bytes.",
}
"""Notes about text that is not UTF-8."""


def read_unindexed(project: Project, target: TargetRef, query: ReadQuery, call: Call) -> FileReadResult | None:
    """Return the current file; None when it was named by a handle, which only an index can resolve."""
    if classify_handle(query.path.strip()):
        return None
    relative = check_path(query.path)
    tree = open_unindexed_source(project, target, call.check)
    path = relative
    data: bytes | None = None
    try:
        if tree.live:
            path, data = _read_from_disk(project, relative, tree.unindexed)
        elif relative in tree.unindexed:
            data = next(iter(tree.read([relative])))[1]
    finally:
        tree.close()
    if data is None:
        name, missing = display_path(target.name)[:100], ascii(display_path(path)[:200])
        raise Failure("FILE_NOT_FOUND", f"The ref '{name}' has no file {missing}.")
    if len(data) > MAX_SHOWN_BYTES:
        raise make_too_large_failure(path, len(data))
    if is_binary(data):
        raise Failure("INVALID_REQUEST", f"{ascii(display_path(path))} is not a text file.", {"reason": "binary"})
    text, notes = decode(data)
    return FileReadResult(
        path=display_path(path),
        content=text,
        size=len(data),
        language=project.registry.detect(path, data[:HEAD_BYTES]) or "text",
        module=derive_module(display_path(path)),
        role=classify_role(display_path(path)),
        modified="",
        # There is no index, but the answer is the current content.
        state=replace(project.get_unindexed_state(target.name), freshness="fresh"),
        notes=(NOT_INDEXED_NOTE, *(message for note, message in ENCODING_NOTES.items() if note in notes)),
    )


def _read_from_disk(project: Project, relative: str, listed: Mapping[str, str]) -> tuple[str, bytes]:
    """Return the real path inside the root, and its bytes; ignored files are not in the listing."""
    data = read_inside(project.workspace.root, relative, MAX_SHOWN_BYTES)
    inside = resolve_inside(project.workspace.root, relative)
    if inside not in listed:
        reason = "binary" if has_binary_name(inside) else "ignored"
        raise Failure("FILE_NOT_FOUND", f"There is no file {ascii(display_path(inside)[:200])}.", {"reason": reason})
    return inside, data
