"""View history: git history and blame of a view's files and lines, compared with the files on disk.

If git fails, the answer contains the reason and does not fail.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from codecompass.engine.history.file_history import CommitHistory, GitHistory
from codecompass.engine.history.line_owners import carry_owners
from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.engine.view.tree_sources import MAX_OBJECT_BYTES
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call
from codecompass.model.history_facts import (
    HISTORY_LABELS,
    NOT_COMMITTED,
    UNKNOWN_AUTHOR,
    Blame,
    Commit,
    FileHistory,
    LineAuthor,
    LineAuthors,
)
from codecompass.model.path_text import display_path
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.files.path_guard import read_regular
from codecompass.text.sniff import decode

_RERAISED_CODES: tuple[ErrorCode, ...] = ("CANCELLED", "INVALID_REQUEST")


@dataclass
class ViewHistory:
    """History of one pinned view at its commit; lives as long as the call."""

    git_history: GitHistory
    view: PinnedView
    reader: ContentReader
    call: Call
    reason: str = ""
    """Why there is no history; empty if there is."""
    _commit_history: CommitHistory | None = None
    _line_owners: dict[str, list[tuple[str, str, int]]] = field(default_factory=dict)
    """Path → (author, date, time) of every line; cached, because definitions of one file are requested together."""
    _budget: TimeBudget = field(init=False)

    def __post_init__(self) -> None:
        self._budget = self.git_history.start_budget(self.call)
        if self.reader.workspace.git is None:
            self.reason = "Not a git repository."
        elif not self.view.row.commit:
            self.reason = "Nothing is committed yet."
        else:
            try:
                self._commit_history = self.git_history.load_commit(self.view.row.commit, self._budget)
            except Failure as failure:
                self.reason = _failure_reason(failure)

    @property
    def git(self) -> str:
        """`ok`, or `none` with the cause in `reason`."""
        return "ok" if self._commit_history is not None else "none"

    def file_history(self, path: str, *, look: bool = False) -> FileHistory:
        """Return the history of one file; `look` compares it with the disk, not with the index."""
        table = self._commit_history
        if table is None:
            return FileHistory(display_path(path), "none", self.reason)
        name = path.encode("utf-8", "surrogateescape")
        found = table.trace.files.get(name)
        if found is None:
            return FileHistory(display_path(path), window=self.git_history.window, uncommitted=True)
        counted = table.line_counts.get(name)
        former = dict.fromkeys(before for _, before in found.names if before != name)
        return FileHistory(
            path=display_path(path),
            last=table.trace.commits[found.touches[0]] if found.touches else None,
            commits=len(found.touches),
            window=self.git_history.window,
            added=counted[0] if counted else None,
            deleted=counted[1] if counted else None,
            history=HISTORY_LABELS[found.edge],
            uncommitted=self._is_edited(path, table.tree[name], look=look),
            former_names=tuple(display_path(one.decode("utf-8", "surrogateescape")) for one in former),
        )

    def last_commit(self, path: str) -> Commit | None:
        """Return the newest commit that changed a file; does not read the disk."""
        found = (
            self._commit_history.trace.files.get(path.encode("utf-8", "surrogateescape"))
            if self._commit_history
            else None
        )
        return (
            self._commit_history.trace.commits[found.touches[0]]
            if self._commit_history and found and found.touches
            else None
        )

    def churn(self, path: str) -> int | None:
        """Return the recently added and deleted lines, if `count_changes` counted them."""
        found = (
            self._commit_history.line_counts.get(path.encode("utf-8", "surrogateescape"))
            if self._commit_history
            else None
        )
        return sum(found) if found else None

    def count_changes(self, paths: Iterable[str]) -> None:
        """Count added and deleted lines for `file_history`; the counts are stored for later calls."""
        if self._commit_history is not None:
            names = [path.encode("utf-8", "surrogateescape") for path in paths]
            try:
                self.git_history.count_lines(self._commit_history, names, self._budget)
            except Failure as failure:
                # Files that were not counted have no numbers.
                _failure_reason(failure)

    def _is_edited(self, path: str, oid: str, *, look: bool) -> bool:
        """Whether a file of the working tree differs from the commit."""
        if not self.view.row.name.startswith("live:"):
            return False
        entry = self.view.entries.get(path)
        if entry is not None and entry.blob and not look:
            known = self.view.snapshot.identity(entry.blob)[1]
            if known:
                return known.hex() != oid and self._is_edited(path, oid, look=True)
        data = self._read_disk(path)
        # A checkout may have converted line ends to CRLF, which is not an edit.
        return data is None or all(_object_name(one, len(oid)) != oid for one in (data, data.replace(b"\r\n", b"\n")))

    def _read_disk(self, path: str) -> bytes | None:
        return read_regular(self.reader.workspace.root, path, MAX_OBJECT_BYTES).data

    # -- lines -----------------------------------------------------------------------------------------------------

    def line_authors(self, path: str, start: int, end: int) -> LineAuthors:
        """Return the authors of the lines of a file from `start` to `end`, inclusive, counted from 1."""
        name = path.encode("utf-8", "surrogateescape")
        table = self._commit_history
        if table is None:
            return LineAuthors(display_path(path), start, end, git="none", reason=self.reason)
        try:
            owners = self._line_owners.get(path)
            if owners is None:
                owners = self._line_owners[path] = self._blame_lines(table, path, name)
        except Failure as failure:
            return LineAuthors(display_path(path), start, end, reason=_failure_reason(failure))
        found: dict[str, list[int]] = {}
        dates: dict[str, str] = {}
        for author, date, moment in owners[max(start, 1) - 1 : max(end, 0)]:
            row = found.setdefault(author, [0, moment])
            row[0] += 1
            if moment >= row[1]:
                row[1], dates[author] = moment, date
        rows = [LineAuthor(author, count, dates[author], moment) for author, (count, moment) in found.items()]
        rows.sort(key=lambda row: (-row.lines, -row.time, row.author))
        return LineAuthors(display_path(path), start, min(end, len(owners)), tuple(rows))

    def _blame_lines(self, table: CommitHistory, path: str, name: bytes) -> list[tuple[str, str, int]]:
        """Return (author, date, time) of every line of the file as in the view."""
        new = (NOT_COMMITTED, "", 0)
        oid = table.tree.get(name)
        if oid is None:
            return [new] * _line_count(self._current_lines(path))
        blamed = _expand_blame(self.git_history.blame(table, name, self._budget), table.borders)
        if not self._is_edited(path, oid, look=True):
            return blamed
        now = self._current_lines(path)
        data = self.git_history.read_blob(oid)
        before = decode(data)[0].split("\n") if data is not None else []
        return carry_owners(before, now, blamed, new)[: _line_count(now)]

    def _current_lines(self, path: str) -> list[str]:
        """Return the lines that were indexed, or those on disk if the file changed since."""
        known = self.reader.read_lines(self.view, path) if path in self.view.entries else None
        if known is None:
            known = decode(self._read_disk(path) or b"")[0].split("\n")
        return known


def _failure_reason(failure: Failure) -> str:
    """Return the reason of a git failure; re-raises it if the call itself is over."""
    if failure.code in _RERAISED_CODES:
        raise failure
    return failure.message


def _object_name(data: bytes, digits: int) -> str:
    algorithm = "sha1" if digits == 40 else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _line_count(lines: list[str]) -> int:
    """Count the lines of a text that was split at line feeds; an empty last item is not a line."""
    return len(lines) - 1 if lines and not lines[-1] else len(lines)


def _expand_blame(blame: Blame, borders: frozenset[str]) -> list[tuple[str, str, int]]:
    """Return (author, date, time) of every line; lines from before the border of a shallow clone have no author."""
    return [
        (UNKNOWN_AUTHOR, "", 0) if one.id in borders else (one.author, one.date, one.time)
        for one in blame.list_line_commits()
    ]
