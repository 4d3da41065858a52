"""Grep scope: the searched files of a view, and those that trigrams cannot rule out; cached per view."""

from collections.abc import Mapping
from dataclasses import dataclass

from codecompass.cache import LRU
from codecompass.engine.grep.text_cache import ENTRY_OVERHEAD
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import NOT_INDEXED
from codecompass.engine.workspace.project import Project
from codecompass.text.documents import is_document
from codecompass.text.sniff import LATIN1, LOSSY

EXCLUDED_DIRECTORIES = frozenset({"node_modules", ".git", "dist", "build", ".next", ".context"})
"""Directories that are never searched, at any depth. They are documented."""
_MAX_CACHED = 16
_PARTIAL_NOTES = (LOSSY, LATIN1, "truncated")
"""Notes of blobs whose indexed text differs from the searched text."""


@dataclass(frozen=True, slots=True)
class GrepScope:
    """The indexed files of one view that a search covers."""

    files: frozenset[str]
    always_read: frozenset[str]
    """Files that every search has to read."""
    excluded: int
    """Number of files in directories that are never searched."""
    size: int
    """Total size of all files in bytes, including the cache overhead per file."""
    digests: Mapping[int, bytes]
    """Blob → hash of its content."""


def is_excluded(path: str) -> bool:
    return not EXCLUDED_DIRECTORIES.isdisjoint(path.split("/")[:-1])


def build_scope(view: PinnedView) -> GrepScope:
    snapshot = view.snapshot
    known = snapshot.identities(view.row)
    names = {language for _, language in known.values()}
    cells = {name for name in names if (spec := view.spec(name)) is not None and spec.cells}
    partly = frozenset[int]().union(*(snapshot.find_view_blobs_with_note(view.row, note) for note in _PARTIAL_NOTES))
    # A file that crashed its parser has no indexed text. Neither has a binary file, which is detected when it is read.
    unread = snapshot.skips(view.row).get("unparseable", 0) > 0
    files, untold, excluded = set(), set(), 0
    for path, entry in view.entries.items():
        language = known[entry.blob][1] if entry.blob in known else ""
        if is_document(language) or (entry.blob == NOT_INDEXED and not unread):
            continue
        if is_excluded(path):
            excluded += 1
            continue
        files.add(path)
        if entry.blob == NOT_INDEXED or entry.blob in partly or language in cells:
            untold.add(path)
    digests = {blob: digest for blob, (digest, _) in known.items()}
    size = sum(view.entries[path].size + ENTRY_OVERHEAD for path in files)
    return GrepScope(frozenset(files), frozenset(untold), excluded, size, digests)


class GrepScopeCache:
    """Cache of the scopes of the views searched last. Thread-safe."""

    def __init__(self) -> None:
        self._cached: LRU[tuple[str, int, int], GrepScope] = LRU(_MAX_CACHED)

    def get(self, project: Project, view: PinnedView) -> GrepScope:
        key = (f"{project.id} {view.row.name}", view.row.generation, view.row.scanned_ns)
        known = self._cached.get(key)
        if known is None:
            known = build_scope(view)
            self._cached.put(key, known)
        return known
