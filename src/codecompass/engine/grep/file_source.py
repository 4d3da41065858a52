"""File sources: list the files of a ref and read their current bytes.

The index rules out most files. It cannot rule out files that it does not have in their current state (changed or
created since the sync, or part of a ref that moved or was never indexed), so those files are read. An answer is
therefore never older than the request.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import HUGE, CommitTree
from codecompass.engine.workspace.project import Project
from codecompass.repo.files.path_guard import TreeReader
from codecompass.repo.files.skip_list import skip_reason
from codecompass.repo.files.tree_walk import walk
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import resolve_ref
from codecompass.repo.process.child_process import Stop

READ_MOST = HUGE
"""Maximum number of bytes of one file that are searched."""


class Tree(Protocol):
    """The current files of one ref."""

    live: bool
    loose: Mapping[str, str]
    """Files whose current content is not indexed, with their object ids where known. They are always read."""
    outdated: frozenset[str]
    """Files whose index entry is out of date, including deleted files."""
    commit: str
    cut: list[str]
    """Files that exceed the size limit, so that they were not searched in full."""

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield the bytes of each file in the requested order; None for a file that is gone or unreadable."""

    def close(self) -> None: ...


@dataclass
class LiveTree:
    """Reads files from the working tree."""

    project: Project
    loose: Mapping[str, str]
    outdated: frozenset[str] = frozenset()
    live: bool = True
    commit: str = ""
    cut: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reader = TreeReader(self.project.workspace.root)

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for path in paths:
            found = self._reader.read(path, READ_MOST)
            if found.reason == "truncated":
                self.cut.append(path)
            yield path, found.data

    def close(self) -> None:
        self._reader.close()


@dataclass
class ObjectTree:
    """Reads the files of a commit from the object database."""

    git: ShadowGit
    commit: str
    loose: Mapping[str, str]
    outdated: frozenset[str] = frozenset()
    view: PinnedView | None = None
    live: bool = False
    cut: list[str] = field(default_factory=list)
    _named: dict[str, str] | None = None

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        wanted = [(path, self._object(path)) for path in paths]
        known = {oid for _, oid in wanted if oid}
        contents = self.git.read_blobs((oid for _, oid in wanted if oid), READ_MOST) if known else iter(())
        for path, oid in wanted:
            data = next(contents)[1] if oid else None
            if oid and data is None:
                self.cut.append(path)
            yield path, data

    def _object(self, path: str) -> str:
        if path in self.loose:
            return self.loose[path]
        assert self.view is not None
        oid = self.view.snapshot.identity(self.view.entries[path].blob)[1]
        if oid:
            return oid.hex()
        # The index does not know the object id of a partly indexed file.
        if self._named is None:
            self._named = {item.path: item.oid for item in self.git.list_tree(self.commit)}
        return self._named.get(path, "")

    def close(self) -> None:
        """Do nothing: the project owns the git readers."""


def tree_of(project: Project, view: PinnedView, ref: str, stop: Stop | None) -> LiveTree | ObjectTree:
    """Open the files of an indexed ref."""
    if view.row.name.startswith("live:"):
        moved, listed = project.probe.differing(view)
        return LiveTree(project, dict.fromkeys(sorted(listed), ""), moved)
    git, known = project.git(), view.row.commit
    assert project.workspace.git is not None
    now = resolve_ref(project.workspace.git, ref)
    now = known if now == known else git.resolve(ref, stop)
    changes = git.changed_files(known, now, stop) if now != known else []
    loose = {item.path: item.new for item in changes if item.new and not skip_reason(item.path)}
    return ObjectTree(git, now, loose, frozenset(item.path for item in changes), view)


def bare_tree(project: Project, ref: str, stop: Stop | None) -> LiveTree | ObjectTree:
    """Open the files of a ref without using an index: every file is read."""
    if project.view_name(ref).startswith("live:"):
        listing = walk(project.workspace.root, project.workspace.git)
        return LiveTree(project, {item.path: "" for item in listing.files})
    source = CommitTree(project.git(), ref, project.options.max_file_bytes, stop)
    return ObjectTree(project.git(), source.commit, {item.path: item.oid.hex() for item in source.list().files})
