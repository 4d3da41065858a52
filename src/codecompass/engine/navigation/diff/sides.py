"""Diff sides: the files of each side and the files that differ between them.

A commit is read from the object database and a working tree from the disk, so neither has to be indexed in its current
state.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from blake3 import blake3

from codecompass.engine.navigation.diff.fingerprint import FileDefinitions
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import (
    NOT_INDEXED,
    RACY_NS,
    CommitTreeSource,
    SourceFile,
    TreeSource,
    WorkingTreeSource,
)
from codecompass.engine.workspace.project import Project
from codecompass.repo.files.secret_names import is_secret
from codecompass.repo.files.skip_list import SKIPPED_DIRECTORIES, has_binary_name
from codecompass.repo.process.child_process import StopCheck
from codecompass.store.ports import ViewEntry
from codecompass.text.sniff import is_binary


@dataclass
class Side:
    """One side of a comparison; `commit` is empty for a working tree and for the empty tree before a first commit."""

    project: Project
    commit: str = ""
    live: bool = False
    view: PinnedView | None = None
    """The index of this side, if there is one; for a working tree it may be older than the files."""
    fresh: bool = True
    stop: StopCheck | None = None
    """Raises to cancel a running git query."""

    @property
    def is_empty(self) -> bool:
        return not self.live and not self.commit

    @cached_property
    def source(self) -> TreeSource:
        limit = self.project.options.max_file_bytes
        if self.live:
            return WorkingTreeSource(self.project.workspace, limit)
        return CommitTreeSource(self.project.git(), self.commit, limit, self.stop)

    def list_files(self) -> dict[str, SourceFile]:
        """Return every file with its git object id; the id is empty for partial or binary content."""
        if self.is_empty:
            return {}
        if not self.live:
            return {item.path: item for item in self.source.list().files}
        assert self.view is not None
        if self.fresh:
            return {path: self._to_candidate(path, entry) for path, entry in self.view.entries.items()}
        return self._scan_files()

    def _to_candidate(self, path: str, entry: ViewEntry) -> SourceFile:
        assert self.view is not None
        oid = self.view.snapshot.identity(entry.blob)[1] if entry.blob != NOT_INDEXED else b""
        return SourceFile(path, entry.size, entry.mtime_ns, entry.ctime_ns, oid)

    def _scan_files(self) -> dict[str, SourceFile]:
        """List the current files; files with the indexed size and times are trusted, the others are read."""
        assert self.view is not None
        entries, settled = self.view.entries, self.view.row.scanned_ns - RACY_NS
        source = self.source
        found: dict[str, SourceFile] = {}
        moved: list[SourceFile] = []
        for item in source.list().files:
            entry = entries.get(item.path)
            if entry is not None and entry[1:] == item[1:4] and item.mtime_ns < settled:
                found[item.path] = self._to_candidate(item.path, entry)
            else:
                moved.append(item)
        for content in source.read(moved):
            if self.stop is not None:
                self.stop()
            if content.data is not None:
                item = content.file
                found[item.path] = item._replace(oid=b"" if is_binary(content.data) else content.oid)
        return found


@dataclass
class FilePair:
    """One file on both sides, or on one of them. A renamed file has two paths."""

    before: SourceFile | None
    after: SourceFile | None
    old: FileDefinitions | None = None
    new: FileDefinitions | None = None

    @property
    def path(self) -> str:
        chosen = self.after or self.before
        assert chosen is not None
        return chosen.path

    @property
    def old_path(self) -> str:
        moved = self.before is not None and self.after is not None and self.before.path != self.after.path
        return self.before.path if moved and self.before is not None else ""

    @property
    def change(self) -> str:
        if self.before is None:
            return "added"
        if self.after is None:
            return "deleted"
        return "renamed" if self.old_path else "modified"


def find_changed_pairs(base: Side, head: Side) -> list[FilePair]:
    """Return the files that differ, sorted by path; renames of identical content are recognised."""
    if base.commit and head.commit and not base.live and not head.live:
        pairs = _compare_commits(base, head)
    else:
        pairs = _compare_listings(base, head)
    return sorted(_join_renamed(pairs), key=lambda pair: pair.path)


def _is_skipped(path: str) -> bool:
    """Return whether indexing skips a file because of its path."""
    return is_secret(path) or has_binary_name(path) or not SKIPPED_DIRECTORIES.isdisjoint(path.split("/")[:-1])


def _compare_commits(base: Side, head: Side) -> list[FilePair]:
    found = []
    for change in base.project.git().list_changed_files(base.commit, head.commit, base.stop):
        if not _is_skipped(change.path):
            one, two = (
                SourceFile(change.path, 0, 0, 0, bytes.fromhex(oid)) if oid else None
                for oid in (change.old, change.new)
            )
            found.append(FilePair(one, two))
    return found


def _compare_listings(base: Side, head: Side) -> list[FilePair]:
    old, new = base.list_files(), head.list_files()
    root = base.project.workspace.root
    found, undecided = [], []
    for path in old.keys() | new.keys():
        one, two = old.get(path), new.get(path)
        if one is None or two is None:
            missing = base if one is None else head
            # A file on disk that is not listed is excluded by a rule; it was neither deleted nor added.
            if not _is_skipped(path) and not (missing.live and os.path.lexists(root / path)):
                found.append(FilePair(one, two))
        elif one.size != two.size or (one.oid and two.oid and one.oid != two.oid):
            found.append(FilePair(one, two))
        elif not (one.oid and two.oid):
            undecided.append((one, two))
    # Truncated and binary files have no object id, so compare their bytes.
    first = _compute_digests(base, [one for one, _ in undecided])
    second = _compute_digests(head, [two for _, two in undecided])
    return found + [FilePair(one, two) for one, two in undecided if first.get(one.path) != second.get(two.path)]


def _compute_digests(side: Side, candidates: list[SourceFile]) -> dict[str, bytes]:
    read = side.source.read(candidates) if candidates else ()
    return {content.file.path: blake3(content.data).digest() for content in read if content.data is not None}


def _join_renamed(pairs: list[FilePair]) -> Iterator[FilePair]:
    """Join a deletion and an addition of identical content into a rename; prefer equal file names."""
    came: dict[bytes, list[FilePair]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.path):
        if pair.before is None and pair.after is not None and pair.after.oid:
            came.setdefault(pair.after.oid, []).append(pair)
    joined: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: pair.path):
        if pair.after is None and pair.before is not None and (partners := came.get(pair.before.oid)):
            name = pair.path.rsplit("/", 1)[-1]
            at = next((at for at, other in enumerate(partners) if other.path.rsplit("/", 1)[-1] == name), 0)
            partner = partners.pop(at)
            joined |= {id(pair), id(partner)}
            yield FilePair(pair.before, partner.after)
    yield from (pair for pair in pairs if id(pair) not in joined)
