"""Bare files: read one file without an index, from the working tree or a commit, with the same path checks."""

import os
from collections.abc import Mapping
from dataclasses import replace

from codecompass.engine.grep.file_source import bare_tree
from codecompass.engine.memory.corpus import module_of
from codecompass.engine.memory.memory_summaries import role_of
from codecompass.engine.results.source_file import LARGEST, too_large
from codecompass.engine.view.pinned_view import shown
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.languages.detection import HEAD_BYTES
from codecompass.model.call import Call
from codecompass.model.ids import handle_kind
from codecompass.model.queries.file_reading import FileReading, ReadQuery
from codecompass.repo.files.path_guard import check_path, open_inside
from codecompass.repo.files.skip_list import has_binary_name
from codecompass.text.sniff import LATIN1, LOSSY, decode, is_binary

WITHOUT_INDEX = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")
"""Failure codes that mean that there is no index to read from."""
NOT_INDEXED = "The ref is not indexed: the file was read directly, and its dependencies are unknown."
ENCODING_NOTES = {
    LOSSY: "Some bytes are not valid UTF-8; they were replaced with U+FFFD.",
    LATIN1: "The file is not UTF-8. It was read as Latin-1 (ISO 8859-1): no byte is lost, but if it has another "
    "encoding, letters beyond ASCII are wrong. Writing it back as UTF-8 changes its bytes.",
}
"""Notes about text that is not UTF-8."""


def read_bare(project: Project, ref: str, query: ReadQuery, call: Call) -> FileReading | None:
    """Return the current file; None when it was named by a handle, which only an index can resolve."""
    if handle_kind(query.path.strip()):
        return None
    relative = check_path(query.path)
    tree = bare_tree(project, ref, call.check)
    path = relative
    data: bytes | None = None
    try:
        if tree.live:
            path, data = _from_disk(project, relative, tree.loose)
        elif relative in tree.loose:
            data = next(iter(tree.read([relative])))[1]
    finally:
        tree.close()
    if data is None:
        raise Failure("FILE_NOT_FOUND", f"The ref '{shown(ref)[:100]}' has no file {ascii(shown(path)[:200])}.")
    if len(data) > LARGEST:
        raise too_large(path, len(data))
    if is_binary(data):
        raise Failure("INVALID_REQUEST", f"{ascii(shown(path))} is not a text file.", {"reason": "binary"})
    text, notes = decode(data)
    return FileReading(
        path=shown(path),
        content=text,
        size=len(data),
        language=project.registry.detect(path, data[:HEAD_BYTES]) or "text",
        module=module_of(shown(path)),
        role=role_of(shown(path)),
        modified="",
        # There is no index, but the answer is the current content.
        state=replace(project.blank_state(ref), freshness="fresh"),
        notes=(NOT_INDEXED, *(message for note, message in ENCODING_NOTES.items() if note in notes)),
    )


def _from_disk(project: Project, relative: str, listed: Mapping[str, str]) -> tuple[str, bytes]:
    """Return the real path inside the root, and its bytes; ignored files are not in the listing."""
    root = os.path.realpath(project.workspace.root)
    data = open_inside(project.workspace.root, relative, LARGEST)
    real = os.path.relpath(os.path.realpath(os.path.join(root, relative)), root)
    inside = check_path(real.replace(os.sep, "/"))
    if inside not in listed:
        reason = "binary" if has_binary_name(inside) else "ignored"
        raise Failure("FILE_NOT_FOUND", f"There is no file {ascii(shown(inside)[:200])}.", {"reason": reason})
    return inside, data
