"""Content reader: read the source text of a view, only from where the view was indexed."""

from dataclasses import dataclass

from blake3 import blake3

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import select_indexed_bytes
from codecompass.repo.files.path_guard import read_regular
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.workspace import Workspace
from codecompass.text.documents import is_document
from codecompass.text.sniff import decode


@dataclass
class ContentReader:
    """Reads files of one workspace; only views of commits need `git`."""

    workspace: Workspace
    git: ShadowGit | None
    max_bytes: int
    masked: bool = True
    """Whether credentials are masked."""

    def read_lines(self, view: PinnedView, path: str) -> list[str] | None:
        """Read the lines that were indexed; None if those bytes are no longer available."""
        text = self._read_text(view, path)
        return text.split("\n") if text is not None else None

    def read_span(self, view: PinnedView, path: str, first: int, last: int) -> list[str]:
        """Read a range of indexed lines, counted from 1; empty if they are no longer available."""
        text = self._read_text(view, path)
        # The text after the range is not split.
        return text.split("\n", last)[first - 1 : last] if text is not None else []

    def _read_text(self, view: PinnedView, path: str) -> str | None:
        if is_document(view.language_of(path)):
            return view.snapshot.document_text(view.entries[path].blob)
        data = self._read_bytes(view, path)
        return decode(data, masked=self.masked)[0] if data is not None else None

    def _read_bytes(self, view: PinnedView, path: str) -> bytes | None:
        entry = view.entries[path]
        if not view.row.name.startswith("live:"):
            _, oid = view.snapshot.identity(entry.blob)
            return self.git.read_blob(oid.hex(), self.max_bytes) if self.git and oid else None
        found = read_regular(self.workspace.root, path, self.max_bytes)
        if found.data is None:
            return None
        digest, _ = view.snapshot.identity(entry.blob)
        data = select_indexed_bytes(found.data, truncated=found.reason == "truncated")
        # If the file was edited since it was indexed, its lines are not those that matched.
        return data if blake3(data).digest() == digest else None
