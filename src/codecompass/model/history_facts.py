"""History: who changed a file last, how much it changes, and who wrote its lines.

The first half crosses the store's port: what commits did, kept by commit and never changed. The second half is what
questions are answered with. Paths are bytes in the first half, because git's are.
"""

from dataclasses import dataclass
from typing import NamedTuple

NOT_COMMITTED = "not committed"
"""The author of lines that are in no commit yet."""
UNKNOWN_AUTHOR = "unknown"
"""The author of lines that were there before the history we have begins."""


class Commit(NamedTuple):
    """One commit as far as questions go. `date` is the author's, as ISO 8601; `time` the same in epoch seconds."""

    id: str
    author: str
    date: str
    time: int
    committed: int
    """When it was committed, which is what the order of a history goes by."""
    merge: bool = False


class Change(NamedTuple):
    """One path a commit has otherwise than its first parent; `source` is its name before, empty where it was new."""

    path: bytes
    source: bytes


class Route(NamedTuple):
    """Where a path that a merge has otherwise than its first parent comes from.

    `touched`: it is as in no parent, so that the merge itself changed it; `parents` are then all that have the path,
    otherwise the first that has it the same.
    """

    path: bytes
    parents: tuple[int, ...]
    touched: bool


class CommitRecord(NamedTuple):
    """What a commit did to the paths it left. A path of a merge without a route is as in the second parent."""

    commit: Commit
    parents: tuple[str, ...]
    changes: tuple[Change, ...]
    routes: tuple[Route, ...] = ()


class FileTrace(NamedTuple):
    """The newest commits that changed one file, as positions in `Trace.commits`."""

    touches: tuple[int, ...]
    names: tuple[tuple[bytes, bytes], ...] = ()
    """(name after, name before) for each touch; empty for a file that always had its name."""
    edge: str = ""
    """Why there may be more: see `HISTORIES`. Empty when there is not, or when as many as wanted were found."""


class Trace(NamedTuple):
    """All files of one commit."""

    commits: tuple[Commit, ...]
    files: dict[bytes, FileTrace]


class Blame(NamedTuple):
    """Runs of lines, (first line from 1, number of lines, position in `commits`), in order and without gaps."""

    runs: tuple[tuple[int, int, int], ...]
    commits: tuple[Commit, ...]


class Message(NamedTuple):
    """What a commit says, and the paths it changed where they were asked for."""

    commit: Commit
    text: str
    paths: tuple[str, ...] = ()


class Touch(NamedTuple):
    """One commit that changed a path, and the object the path then held; empty where it was deleted."""

    commit: Commit
    oid: str
    path: str
    source: str = ""
    """The name before, of a path that was renamed by it."""


HISTORIES = {
    "": "complete",
    "limit": "truncated",
    "time": "truncated",
    "shallow": "shallow",
    "missing": "missing",
}
"""What a file's history is called by the edge where it ends."""


@dataclass(frozen=True, slots=True)
class FileHistory:
    """What git knows of one file of a view. Without git, or for a file that is in no commit, there is no `last`."""

    path: str
    git: str = "ok"
    """`ok` or `none`; `reason` then says why."""
    reason: str = ""
    last: Commit | None = None
    commits: int = 0
    """Commits that changed the file, at most as many as the window."""
    window: int = 0
    added: int | None = None
    deleted: int | None = None
    """Lines added and deleted by those commits; None where they were not counted or cannot be."""
    history: str = "complete"
    """`complete`, `truncated`, `shallow` or `missing`: whether there may be commits that were not seen."""
    uncommitted: bool = False
    former_names: tuple[str, ...] = ()

    @property
    def churn(self) -> int | None:
        """Added and deleted lines together."""
        return None if self.added is None or self.deleted is None else self.added + self.deleted


@dataclass(frozen=True, slots=True)
class LineAuthor:
    """One author's part of a range of lines."""

    author: str
    lines: int
    latest: str
    """The date of the newest of these lines; empty for lines that are in no commit."""
    time: int


@dataclass(frozen=True, slots=True)
class LineAuthors:
    """Who wrote a range of lines, the one with most of them first."""

    path: str
    start: int
    end: int
    authors: tuple[LineAuthor, ...] = ()
    git: str = "ok"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """One file, and the authors of the lines that were asked for."""

    file: FileHistory
    lines: LineAuthors | None = None
