"""Trace: the newest commits that changed each file of a commit, all files in one walk.

Each file waits at a commit under the name it has there. A commit that changed the name takes note and sends it on to
its parent, a merge to the first parent that has the file the same, and to all where the merge itself changed it: what
`git log -- path` does for one path. Most files move together, so a walk costs what the commits changed, not the number
of files. A file's history begins where the file was added; one that was renamed goes on under its old name.

What was found for a commit is final. A walk from a newer commit ends where it meets one that is settled.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush

from codecompass.model.history_facts import Change, Commit, CommitRecord, FileTrace, Route, Trace

Waiting = dict[bytes, tuple[int, ...]]
"""Name at a commit → the files that have it there."""
_NO_ROUTE = Route(b"", (1,), touched=False)


@dataclass(slots=True)
class _File:
    name: bytes
    touches: list[tuple[Commit, bytes, bytes]] = field(default_factory=list)
    edge: str = ""
    forked: bool = False
    """It goes on at several parents, so that a commit may be met twice."""


Source = Callable[[str], "CommitRecord | str"]
"""A commit's record, or the word for why there is none (see `model.history.HISTORIES`)."""
Settled = Callable[[str], Trace | None]
"""What was found before for a commit."""


class Tracer:
    """One walk. `limit` commits are looked at, `window` commits kept for each file."""

    def __init__(self, window: int, limit: int, records: Source, settled: Settled) -> None:
        self._window = window
        self._left = limit
        self._records = records
        self._settled = settled
        self._files: list[_File] = []
        self._groups: dict[str, tuple[CommitRecord, Waiting]] = {}
        self._heap: list[tuple[int, int, str]] = []
        self._pushed = 0

    def trace(self, commit: str, names: Iterable[bytes]) -> Trace:
        """All files of a commit, by name."""
        self._files = [_File(name) for name in names]
        self._arrive(commit, {file.name: (at,) for at, file in enumerate(self._files)})
        while self._heap:
            record, waiting = self._groups.pop(heappop(self._heap)[2])
            if len(record.parents) > 1:
                self._pass_merge(record, waiting)
            else:
                self._pass(record, waiting)
        return self._finish()

    def _arrive(self, commit: str, waiting: Waiting) -> None:
        """Files come to a commit: they join those that wait there, are answered if it is settled, or end here."""
        if not waiting:
            return
        if commit in self._groups:
            record, there = self._groups[commit]
            if len(there) < len(waiting):
                there, waiting = waiting, there
            for name, files in waiting.items():
                _put(there, name, files)
            self._groups[commit] = (record, there)
            return
        known = self._settled(commit)
        if known is not None:
            waiting = self._inherit(known, waiting)
            if not waiting:
                return
        found = self._records(commit) if self._left > 0 else "limit"
        if isinstance(found, str):
            self._end(waiting, found)
            return
        self._left -= 1
        self._groups[commit] = (found, waiting)
        # Of commits of the same second the one that was met first goes first, as git has it.
        self._pushed += 1
        heappush(self._heap, (-found.commit.committed, self._pushed, commit))

    def _pass(self, record: CommitRecord, waiting: Waiting) -> None:
        """A commit with one parent or none."""
        moved: list[tuple[bytes, tuple[int, ...]]] = []
        for change in record.changes:
            files = waiting.pop(change.path, None)
            if files is None:
                continue
            rest = self._touch(files, record.commit, change)
            if rest and change.source:
                moved.append((change.source, rest))
        for name, files in moved:
            _put(waiting, name, files)
        if record.parents:
            self._arrive(record.parents[0], waiting)

    def _pass_merge(self, record: CommitRecord, waiting: Waiting) -> None:
        routes = {route.path: route for route in record.routes}
        sent: dict[int, Waiting] = {}
        for change in record.changes:
            files = waiting.pop(change.path, None)
            if files is None:
                continue
            route = routes.get(change.path, _NO_ROUTE)
            if route.touched:
                files = self._touch(files, record.commit, Change(change.path, change.path))
                for at in files if len(route.parents) > 1 else ():
                    self._files[at].forked = True
            if files:
                for parent in route.parents:
                    _put(sent.setdefault(parent, {}), change.path, files)
        for name, files in sent.pop(0, {}).items():
            _put(waiting, name, files)
        self._arrive(record.parents[0], waiting)
        for parent, group in sorted(sent.items()):
            self._arrive(record.parents[parent], group)

    def _touch(self, files: tuple[int, ...], commit: Commit, change: Change) -> tuple[int, ...]:
        """Take note; gives the files of which more is wanted."""
        rest = []
        for at in files:
            file = self._files[at]
            if len(file.touches) < self._window and not (file.forked and _knows(file, commit)):
                file.touches.append((commit, change.path, change.source or change.path))
            if len(file.touches) < self._window:
                rest.append(at)
        return tuple(rest)

    def _inherit(self, known: Trace, waiting: Waiting) -> Waiting:
        """Go on with what was found for a settled commit.

        Gives the files that have to walk on: one that also waits elsewhere takes its commits from both in their order.
        """
        rest: Waiting = {}
        for name, files in waiting.items():
            found = known.files.get(name, FileTrace(()))
            names = found.names or ((name, name),) * len(found.touches)
            more = [(known.commits[at], *pair) for at, pair in zip(found.touches, names, strict=True)]
            for at in files:
                file = self._files[at]
                if file.forked:
                    _put(rest, name, (at,))
                else:
                    file.touches += more
                    file.edge = found.edge
        return rest

    def _end(self, waiting: Waiting, edge: str) -> None:
        for files in waiting.values():
            for at in files:
                self._files[at].edge = edge

    def _finish(self) -> Trace:
        numbers: dict[str, int] = {}
        commits: list[Commit] = []
        found: dict[bytes, FileTrace] = {}
        for file in self._files:
            touches = file.touches[: self._window]
            places = []
            for commit, _, _ in touches:
                at = numbers.setdefault(commit.id, len(commits))
                if at == len(commits):
                    commits.append(commit)
                places.append(at)
            same = all(after == before == file.name for _, after, before in touches)
            names = () if same else tuple((after, before) for _, after, before in touches)
            found[file.name] = FileTrace(tuple(places), names, "" if len(touches) == self._window else file.edge)
        return Trace(tuple(commits), found)


def _knows(file: _File, commit: Commit) -> bool:
    return any(touch[0].id == commit.id for touch in file.touches)


def _put(waiting: Waiting, name: bytes, files: tuple[int, ...]) -> None:
    there = waiting.get(name)
    waiting[name] = files if there is None else tuple(dict.fromkeys((*there, *files)))
