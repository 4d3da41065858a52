"""File sources: list the files of a ref and read their current bytes.

The index rules out most files. It cannot rule out files that it does not have in their current state (changed or
created since the sync, or part of a ref that moved or was never indexed), so those files are read. An answer is
therefore never older than the request.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import MAX_OBJECT_BYTES, CommitTreeSource
from codecompass.engine.workspace.project import Project
from codecompass.model.code.coverage import PENDING
from codecompass.repo.files.path_guard import TreeReader
from codecompass.repo.files.skip_list import find_skip_reason
from codecompass.repo.files.tree_walk import walk_tree
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import resolve_ref
from codecompass.repo.process.child_process import StopCheck
from codecompass.repo.workspace import TargetRef

MAX_READ_BYTES = MAX_OBJECT_BYTES
"""Maximum number of bytes of one file that are searched."""


class FileSource(Protocol):
    """The current files of one ref."""

    live: bool
    unindexed: Mapping[str, str]
    """Files whose current content is not indexed, with their object ids where known. They are always read."""
    outdated: frozenset[str]
    """Files whose index entry is out of date, including deleted files."""
    commit: str
    truncated: list[str]
    """Files that exceed the size limit, so that they were not searched in full."""

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield the bytes of each file in the requested order; None for a file that is gone or unreadable."""

    def close(self) -> None: ...


@dataclass
class LiveFileSource:
    """Reads files from the working tree."""

    project: Project
    unindexed: Mapping[str, str]
    outdated: frozenset[str] = frozenset()
    live: bool = True
    commit: str = ""
    truncated: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reader = TreeReader(self.project.workspace.root)

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for path in paths:
            found = self._reader.read(path, MAX_READ_BYTES)
            if found.reason == "truncated":
                self.truncated.append(path)
            yield path, found.data

    def close(self) -> None:
        self._reader.close()


@dataclass
class CommitSource:
    """Reads the files of a commit from the object database."""

    git: ShadowGit
    commit: str
    unindexed: Mapping[str, str]
    outdated: frozenset[str] = frozenset()
    view: PinnedView | None = None
    live: bool = False
    truncated: list[str] = field(default_factory=list)
    _oid_by_path: dict[str, str] | None = None

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        wanted = [(path, self._get_oid(path)) for path in paths]
        known = {oid for _, oid in wanted if oid}
        contents = self.git.read_blobs((oid for _, oid in wanted if oid), MAX_READ_BYTES) if known else iter(())
        for path, oid in wanted:
            data = next(contents)[1] if oid else None
            if oid and data is None:
                self.truncated.append(path)
            yield path, data

    def _get_oid(self, path: str) -> str:
        if path in self.unindexed:
            return self.unindexed[path]
        assert self.view is not None
        oid = self.view.snapshot.identity(self.view.entries[path].blob)[1]
        if oid:
            return oid.hex()
        # The index does not know the object id of a partly indexed file.
        if self._oid_by_path is None:
            self._oid_by_path = {item.path: item.oid for item in self.git.list_tree(self.commit)}
        return self._oid_by_path.get(path, "")

    def close(self) -> None:
        """Do nothing: the project owns the git readers."""


def open_source(project: Project, view: PinnedView, ref: str, stop: StopCheck | None) -> LiveFileSource | CommitSource:
    """Open the files of an indexed ref."""
    if view.row.name.startswith("live:"):
        moved, listed = project.probe.find_changes(view)
        pending = _list_pending(project, view)
        return LiveFileSource(project, dict.fromkeys(sorted(listed | pending), ""), moved | pending)
    git, known = project.git(), view.row.commit
    assert project.workspace.git is not None
    now = resolve_ref(project.workspace.git, ref)
    now = known if now == known else git.resolve(ref, stop)
    changes = git.list_changed_files(known, now, stop) if now != known else []
    loose = {item.path: item.new for item in changes if item.new and not find_skip_reason(item.path)}
    outdated = frozenset(item.path for item in changes)
    if pending := _list_pending(project, view) - outdated:
        loose |= {item.path: item.oid for item in git.list_tree(now, stop) if item.path in pending}
    return CommitSource(git, now, loose, outdated | pending, view)


def _list_pending(project: Project, view: PinnedView) -> frozenset[str]:
    """Return the files that a first index has not reached."""
    known = view.snapshot.skipped_files(view.row, (PENDING,)) if project.summaries.count_pending(view) else ()
    return frozenset(known)


def open_unindexed_source(project: Project, target: TargetRef, stop: StopCheck | None) -> LiveFileSource | CommitSource:
    """Open the files of a ref without using an index: every file is read."""
    if target.is_live:
        listing = walk_tree(project.workspace.root, project.workspace.git)
        return LiveFileSource(project, {item.path: "" for item in listing.files})
    source = CommitTreeSource(project.git(), target.name, project.options.max_file_bytes, stop)
    return CommitSource(project.git(), source.commit, {item.path: item.oid.hex() for item in source.list().files})
