"""Blob text: read the text of a blob again as it was indexed."""

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from blake3 import blake3

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import select_indexed_bytes
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.languages.formats.embedded_languages import blank_outside_segments
from codecompass.model.code.facts import Facts
from codecompass.repo.files.path_guard import TreeReader
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.workspace import Workspace
from codecompass.text.documents import is_document
from codecompass.text.sniff import decode


@dataclass(frozen=True, slots=True)
class BlobText:
    """Text of a blob: the text that chunks are cut from, and the bytes that comment offsets refer to."""

    indexable: bytes
    full: bytes


class BlobTextReader:
    """Reads blobs of one workspace, from the working tree first, then git; only bytes with the blob's hash count."""

    def __init__(self, workspace: Workspace, git: ShadowGit | None, max_bytes: int, *, masked: bool) -> None:
        self._git = git
        self._limit = max_bytes
        self._masked = masked
        self._reader = TreeReader(workspace.root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        self._reader.close()

    def read(self, view: PinnedView, number: int, digest: bytes, language: str, facts: Facts) -> BlobText | None:
        """Return the text that was indexed, or None when its bytes no longer exist."""
        if is_document(language):
            rendered = view.snapshot.document_text(number).encode("utf-8", "replace")
            return BlobText(rendered, rendered)
        data = self._read_bytes(view, number, digest)
        if data is None:
            return None
        text, notes = decode(data, masked=self._masked)
        # As in parsing: clean UTF-8 bytes stay unchanged, so that the offsets of comments fit.
        source = text.encode("utf-8", "replace") if notes else data
        spec = view.spec(language)
        indexable = blank_outside_segments(source, facts.segments) if spec is not None and spec.cells else source
        return BlobText(indexable, source)

    def _read_bytes(self, view: PinnedView, number: int, digest: bytes) -> bytes | None:
        """Read bytes from the working tree if their hash matches, else from git."""
        if view.row.name.startswith("live:"):
            for path in view.paths[number]:
                found = self._reader.read(path, self._limit)
                if found.data is not None:
                    data = select_indexed_bytes(found.data, truncated=found.reason == "truncated")
                    if blake3(data).digest() == digest:
                        return data
        oid = view.snapshot.identity(number)[1]
        if not oid or self._git is None:
            return None
        return self._git.read_blob(oid.hex(), self._limit)


def open_blob_reader(project: Project) -> BlobTextReader:
    """Open a reader of a project's indexed text; the caller closes it."""
    options = project.options
    return BlobTextReader(project.workspace, _open_git(project), options.max_file_bytes, masked=options.mask_secrets)


def _open_git(project: Project) -> ShadowGit | None:
    """Open git, for texts that are in commits only; None without a repository or git, or if its objects are refused."""
    if not project.workspace.git:
        return None
    try:
        return project.git()
    except Failure as failure:
        if failure.code not in ("CAPABILITY_MISSING", "FORBIDDEN"):
            raise
        return None
