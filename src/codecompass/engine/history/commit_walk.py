"""Commit walk: find the newest commits that changed each file of a commit, for all files in one walk.

Each file is pending at a commit under its name there. A commit that changed the file is recorded, and the file moves on
to the parent; at a merge it moves to the first parent with the same content, or to all parents if the merge itself
changed it, as `git log -- path` does for one path. Most files move together, so the cost of a walk is the number of
changes, not the number of files. A file's history begins where the file was added; a renamed file continues under its
old name.

The trace of a commit is final. A walk from a newer commit ends where it meets a commit with a stored trace.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush

from codecompass.model.history_facts import Commit, CommitRecord, FileCommits, MergeOrigin, PathChange, TreeCommits

PendingFiles = dict[bytes, tuple[int, ...]]
"""File name at a commit → the files that have this name there."""
_NO_ROUTE = MergeOrigin(b"", (1,), touched=False)


@dataclass(slots=True)
class _FileState:
    name: bytes
    touches: list[tuple[Commit, bytes, bytes]] = field(default_factory=list)
    edge: str = ""
    forked: bool = False
    """It continues at several parents, so a commit may be visited twice."""


RecordLookup = Callable[[str], "CommitRecord | str"]
"""Returns the record of a commit, or the reason why there is none (see `model.history_facts.HISTORIES`)."""
TraceLookup = Callable[[str], TreeCommits | None]
"""Returns the stored trace of a commit."""


class HistoryWalker:
    """One walk. It visits at most `limit` commits and records at most `window` commits for each file."""

    def __init__(self, window: int, limit: int, records: RecordLookup, settled: TraceLookup) -> None:
        self._window = window
        self._remaining = limit
        self._records = records
        self._find_trace = settled
        self._files: list[_FileState] = []
        self._groups: dict[str, tuple[CommitRecord, PendingFiles]] = {}
        self._heap: list[tuple[int, int, str]] = []
        self._pushed = 0

    def walk(self, commit: str, names: Iterable[bytes]) -> TreeCommits:
        """Trace all files of a commit, by name."""
        self._files = [_FileState(name) for name in names]
        self._enqueue(commit, {file.name: (at,) for at, file in enumerate(self._files)})
        while self._heap:
            record, pending = self._groups.pop(heappop(self._heap)[2])
            if len(record.parents) > 1:
                self._visit_merge(record, pending)
            else:
                self._visit_commit(record, pending)
        return self._build_trace()

    def _enqueue(self, commit: str, pending: PendingFiles) -> None:
        """Move files to a commit: merge them with its pending files, reuse its stored trace, or stop there."""
        if not pending:
            return
        if commit in self._groups:
            record, existing = self._groups[commit]
            if len(existing) < len(pending):
                existing, pending = pending, existing
            for name, files in pending.items():
                _add_files(existing, name, files)
            self._groups[commit] = (record, existing)
            return
        known = self._find_trace(commit)
        if known is not None:
            pending = self._reuse_trace(known, pending)
            if not pending:
                return
        found = self._records(commit) if self._remaining > 0 else "limit"
        if isinstance(found, str):
            self._stop_files(pending, found)
            return
        self._remaining -= 1
        self._groups[commit] = (found, pending)
        # Of commits with the same second, the one met first goes first, as in git.
        self._pushed += 1
        heappush(self._heap, (-found.commit.committed, self._pushed, commit))

    def _visit_commit(self, record: CommitRecord, pending: PendingFiles) -> None:
        """Visit a commit with at most one parent."""
        moved: list[tuple[bytes, tuple[int, ...]]] = []
        for change in record.changes:
            files = pending.pop(change.path, None)
            if files is None:
                continue
            rest = self._record_touch(files, record.commit, change)
            if rest and change.source:
                moved.append((change.source, rest))
        for name, files in moved:
            _add_files(pending, name, files)
        if record.parents:
            self._enqueue(record.parents[0], pending)

    def _visit_merge(self, record: CommitRecord, pending: PendingFiles) -> None:
        routes = {route.path: route for route in record.routes}
        sent: dict[int, PendingFiles] = {}
        for change in record.changes:
            files = pending.pop(change.path, None)
            if files is None:
                continue
            route = routes.get(change.path, _NO_ROUTE)
            if route.touched:
                files = self._record_touch(files, record.commit, PathChange(change.path, change.path))
                for at in files if len(route.parents) > 1 else ():
                    self._files[at].forked = True
            if files:
                for parent in route.parents:
                    _add_files(sent.setdefault(parent, {}), change.path, files)
        for name, files in sent.pop(0, {}).items():
            _add_files(pending, name, files)
        self._enqueue(record.parents[0], pending)
        for parent, group in sorted(sent.items()):
            self._enqueue(record.parents[parent], group)

    def _record_touch(self, files: tuple[int, ...], commit: Commit, change: PathChange) -> tuple[int, ...]:
        """Record a change; returns the files that need more commits."""
        rest = []
        for at in files:
            file = self._files[at]
            if len(file.touches) < self._window and not (file.forked and _has_commit(file, commit)):
                file.touches.append((commit, change.path, change.source or change.path))
            if len(file.touches) < self._window:
                rest.append(at)
        return tuple(rest)

    def _reuse_trace(self, known: TreeCommits, pending: PendingFiles) -> PendingFiles:
        """Complete files from the stored trace of a commit.

        Returns the files that must be walked further: a file that is also pending elsewhere takes its commits from both
        in their order.
        """
        rest: PendingFiles = {}
        for name, files in pending.items():
            found = known.files.get(name, FileCommits(()))
            names = found.names or ((name, name),) * len(found.touches)
            more = [(known.commits[at], *pair) for at, pair in zip(found.touches, names, strict=True)]
            for at in files:
                file = self._files[at]
                if file.forked:
                    _add_files(rest, name, (at,))
                else:
                    file.touches += more
                    file.edge = found.edge
        return rest

    def _stop_files(self, pending: PendingFiles, edge: str) -> None:
        for files in pending.values():
            for at in files:
                self._files[at].edge = edge

    def _build_trace(self) -> TreeCommits:
        numbers: dict[str, int] = {}
        commits: list[Commit] = []
        found: dict[bytes, FileCommits] = {}
        for file in self._files:
            touches = file.touches[: self._window]
            positions = []
            for commit, _, _ in touches:
                at = numbers.setdefault(commit.id, len(commits))
                if at == len(commits):
                    commits.append(commit)
                positions.append(at)
            same = all(after == before == file.name for _, after, before in touches)
            names = () if same else tuple((after, before) for _, after, before in touches)
            found[file.name] = FileCommits(tuple(positions), names, "" if len(touches) == self._window else file.edge)
        return TreeCommits(tuple(commits), found)


def _has_commit(file: _FileState, commit: Commit) -> bool:
    return any(touch[0].id == commit.id for touch in file.touches)


def _add_files(pending: PendingFiles, name: bytes, files: tuple[int, ...]) -> None:
    existing = pending.get(name)
    pending[name] = files if existing is None else tuple(dict.fromkeys((*existing, *files)))
