"""History values: commits, path changes, blame, and answers about the history of files and lines.

The first half crosses the store's port: immutable records, keyed by commit. The second half holds answers. Paths are
bytes in the first half, because git's paths are bytes.
"""

from dataclasses import dataclass
from typing import NamedTuple

NOT_COMMITTED = "not committed"
"""The author of lines that are not committed yet."""
UNKNOWN_AUTHOR = "unknown"
"""The author of lines that are older than the available history."""


class Commit(NamedTuple):
    """Metadata of one commit. `date` is the author date as ISO 8601; `time` is the same in epoch seconds."""

    id: str
    author: str
    date: str
    time: int
    committed: int
    """The commit time in epoch seconds; history is ordered by it."""
    merge: bool = False


class PathChange(NamedTuple):
    """One path that differs from the first parent; `source` is the old name, empty for a new file."""

    path: bytes
    source: bytes


class MergeOrigin(NamedTuple):
    """The parents from which a merge took a path that differs from its first parent.

    `touched`: the path differs from all parents, so the merge itself changed it; `parents` are then all parents that
    have the path. Otherwise it is the first parent with the same content.
    """

    path: bytes
    parents: tuple[int, ...]
    touched: bool


class CommitRecord(NamedTuple):
    """The path changes of a commit. A path of a merge without a route comes from the second parent."""

    commit: Commit
    parents: tuple[str, ...]
    changes: tuple[PathChange, ...]
    routes: tuple[MergeOrigin, ...] = ()


class FileCommits(NamedTuple):
    """The newest commits that changed one file, as positions in `TreeCommits.commits`."""

    touches: tuple[int, ...]
    names: tuple[tuple[bytes, bytes], ...] = ()
    """(new name, old name) for each commit; empty for a file that was never renamed."""
    edge: str = ""
    """Why the list may be incomplete: see `HISTORY_LABELS`. Empty if it is complete or long enough."""


class TreeCommits(NamedTuple):
    """The commits that changed each file of one commit's tree."""

    commits: tuple[Commit, ...]
    files: dict[bytes, FileCommits]


class Blame(NamedTuple):
    """Runs of lines, (first line from 1, number of lines, position in `commits`), in order and without gaps."""

    runs: tuple[tuple[int, int, int], ...]
    commits: tuple[Commit, ...]

    def list_line_commits(self) -> list[Commit]:
        """Return the commit of every line."""
        return [self.commits[at] for _, count, at in sorted(self.runs) for _ in range(count)]


class CommitMessage(NamedTuple):
    """The message of a commit, and the paths it changed if they were requested."""

    commit: Commit
    text: str
    paths: tuple[str, ...] = ()


class PathRevision(NamedTuple):
    """One commit that changed a path, and the resulting object id; empty if the path was deleted."""

    commit: Commit
    oid: str
    path: str
    source: str = ""
    """The old name if the commit renamed the path."""


HISTORY_LABELS = {
    "": "complete",
    "limit": "truncated",
    "time": "truncated",
    "shallow": "shallow",
    "missing": "missing",
}
"""Reason why a history ends (`FileCommits.edge`) → the label in answers."""


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The git history of one file of a view. `last` is None without git or for an uncommitted file."""

    path: str
    git: str = "ok"
    """`ok`, or `none` with the `reason`."""
    reason: str = ""
    last: Commit | None = None
    commits: int = 0
    """Number of commits that changed the file, at most `window`."""
    window: int = 0
    added: int | None = None
    deleted: int | None = None
    """Lines added and deleted by those commits; None if they were not counted or cannot be counted."""
    history: str = "complete"
    """`complete`, `truncated`, `shallow` or `missing`: whether older commits may be missing."""
    uncommitted: bool = False
    former_names: tuple[str, ...] = ()

    @property
    def churn(self) -> int | None:
        """Sum of added and deleted lines."""
        return None if self.added is None or self.deleted is None else self.added + self.deleted


@dataclass(frozen=True, slots=True)
class LineAuthor:
    """One author's share of a range of lines."""

    author: str
    lines: int
    latest: str
    """The date of the newest of these lines; empty for uncommitted lines."""
    time: int


@dataclass(frozen=True, slots=True)
class LineAuthors:
    """The authors of a range of lines, by number of lines, descending."""

    path: str
    start: int
    end: int
    authors: tuple[LineAuthor, ...] = ()
    git: str = "ok"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """The history of one file, and the authors of the requested lines."""

    file: FileHistory
    lines: LineAuthors | None = None
