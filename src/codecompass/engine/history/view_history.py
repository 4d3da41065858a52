"""View history: git history and blame of a view's files and lines, compared with the files on disk.

If git fails, the answer contains the reason and does not fail.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from codecompass.engine.history.commit_records import Clock
from codecompass.engine.history.file_history import Historian, Table
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.view.tree_sources import HUGE
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.history_facts import (
    HISTORIES,
    NOT_COMMITTED,
    UNKNOWN_AUTHOR,
    Blame,
    Commit,
    FileHistory,
    LineAuthor,
    LineAuthors,
)
from codecompass.repo.files.path_guard import read_regular
from codecompass.text.sniff import decode

_PASSED_ON = ("CANCELLED", "INVALID_REQUEST")
_MATCHED = 4_000_000
"""Maximum product of the line counts of both sides for a diff; beyond it, changed lines count as new."""


@dataclass
class ViewHistory:
    """History of one pinned view at its commit; lives as long as the call."""

    historian: Historian
    view: PinnedView
    reader: ContentReader
    call: Call
    reason: str = ""
    """Why there is no history; empty if there is."""
    _table: Table | None = None
    _owned: dict[str, list[tuple[str, str, int]]] = field(default_factory=dict)
    """Path → (author, date, time) of every line; cached, because definitions of one file are requested together."""
    _clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self._clock = self.historian.clock(self.call)
        if self.reader.workspace.git is None:
            self.reason = "Not a git repository."
        elif not self.view.row.commit:
            self.reason = "Nothing is committed yet."
        else:
            try:
                self._table = self.historian.table(self.view.row.commit, self._clock)
            except Failure as failure:
                self.reason = _reason(failure)

    @property
    def git(self) -> str:
        """`ok`, or `none` with the cause in `reason`."""
        return "ok" if self._table is not None else "none"

    def file(self, path: str, *, look: bool = False) -> FileHistory:
        """Return the history of one file; `look` compares it with the disk, not with the index."""
        table = self._table
        if table is None:
            return FileHistory(shown(path), "none", self.reason)
        name = path.encode("utf-8", "surrogateescape")
        found = table.trace.files.get(name)
        if found is None:
            return FileHistory(shown(path), window=self.historian.window, uncommitted=True)
        counted = table.sums.get(name)
        former = dict.fromkeys(before for _, before in found.names if before != name)
        return FileHistory(
            path=shown(path),
            last=table.trace.commits[found.touches[0]] if found.touches else None,
            commits=len(found.touches),
            window=self.historian.window,
            added=counted[0] if counted else None,
            deleted=counted[1] if counted else None,
            history=HISTORIES[found.edge],
            uncommitted=self._is_edited(path, table.tree[name], look=look),
            former_names=tuple(shown(one.decode("utf-8", "surrogateescape")) for one in former),
        )

    def last(self, path: str) -> Commit | None:
        """Return the newest commit that changed a file; does not read the disk."""
        found = self._table.trace.files.get(path.encode("utf-8", "surrogateescape")) if self._table else None
        return self._table.trace.commits[found.touches[0]] if self._table and found and found.touches else None

    def churn(self, path: str) -> int | None:
        """Return the recently added and deleted lines, if `count_changes` counted them."""
        found = self._table.sums.get(path.encode("utf-8", "surrogateescape")) if self._table else None
        return sum(found) if found else None

    def count(self, paths: Iterable[str]) -> None:
        """Count added and deleted lines for `file_history`; the counts are stored for later calls."""
        if self._table is not None:
            names = [path.encode("utf-8", "surrogateescape") for path in paths]
            try:
                self.historian.count(self._table, names, self._clock)
            except Failure as failure:
                # Files that were not counted have no numbers.
                _reason(failure)

    def _is_edited(self, path: str, oid: str, *, look: bool) -> bool:
        """Whether a file of the working tree differs from the commit."""
        if not self.view.row.name.startswith("live:"):
            return False
        entry = self.view.entries.get(path)
        if entry is not None and entry.blob and not look:
            known = self.view.snapshot.identity(entry.blob)[1]
            if known:
                return known.hex() != oid and self._is_edited(path, oid, look=True)
        data = self._on_disk(path)
        # A checkout may have converted line ends to CRLF, which is not an edit.
        return data is None or all(_object_name(one, len(oid)) != oid for one in (data, data.replace(b"\r\n", b"\n")))

    def _on_disk(self, path: str) -> bytes | None:
        return read_regular(self.reader.workspace.root, path, HUGE).data

    # -- lines -----------------------------------------------------------------------------------------------------

    def authors(self, path: str, start: int, end: int) -> LineAuthors:
        """Return the authors of the lines of a file from `start` to `end`, inclusive, counted from 1."""
        name = path.encode("utf-8", "surrogateescape")
        table = self._table
        if table is None:
            return LineAuthors(shown(path), start, end, git="none", reason=self.reason)
        try:
            owners = self._owned.get(path)
            if owners is None:
                owners = self._owned[path] = self._owners(table, path, name)
        except Failure as failure:
            return LineAuthors(shown(path), start, end, reason=_reason(failure))
        found: dict[str, list[int]] = {}
        dates: dict[str, str] = {}
        for author, date, moment in owners[max(start, 1) - 1 : max(end, 0)]:
            row = found.setdefault(author, [0, moment])
            row[0] += 1
            if moment >= row[1]:
                row[1], dates[author] = moment, date
        rows = [LineAuthor(author, count, dates[author], moment) for author, (count, moment) in found.items()]
        rows.sort(key=lambda row: (-row.lines, -row.time, row.author))
        return LineAuthors(shown(path), start, min(end, len(owners)), tuple(rows))

    def _owners(self, table: Table, path: str, name: bytes) -> list[tuple[str, str, int]]:
        """Return (author, date, time) of every line of the file as in the view."""
        new = (NOT_COMMITTED, "", 0)
        oid = table.tree.get(name)
        if oid is None:
            return [new] * _line_count(self._lines(path))
        blamed = _spread(self.historian.blame(table, name, self._clock), table.borders)
        if not self._is_edited(path, oid, look=True):
            return blamed
        now = self._lines(path)
        data = self.historian.content(oid)
        before = decode(data)[0].split("\n") if data is not None else []
        return _matched(before, now, blamed, new)[: _line_count(now)]

    def _lines(self, path: str) -> list[str]:
        """Return the lines that were indexed, or those on disk if the file changed since."""
        known = self.reader.lines(self.view, path) if path in self.view.entries else None
        if known is None:
            known = decode(self._on_disk(path) or b"")[0].split("\n")
        return known


def _reason(failure: Failure) -> str:
    """Return the reason of a git failure; re-raises it if the call itself is over."""
    if failure.code in _PASSED_ON:
        raise failure
    return failure.message


def _object_name(data: bytes, digits: int) -> str:
    algorithm = "sha1" if digits == 40 else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _line_count(lines: list[str]) -> int:
    """Count the lines of a text that was split at line feeds; an empty last item is not a line."""
    return len(lines) - 1 if lines and not lines[-1] else len(lines)


def _spread(blame: Blame, borders: frozenset[str]) -> list[tuple[str, str, int]]:
    found: list[tuple[str, str, int]] = []
    for _, count, at in sorted(blame.runs):
        one = blame.commits[at]
        known = one.id not in borders
        found += [(one.author, one.date, one.time) if known else (UNKNOWN_AUTHOR, "", 0)] * count
    return found


def _matched(
    before: list[str], now: list[str], blamed: list[tuple[str, str, int]], new: tuple[str, str, int]
) -> list[tuple[str, str, int]]:
    """Return the owners of the lines of an edited file: unchanged lines keep theirs, the others are new."""
    old, fresh = ([line.rstrip("\r") for line in lines] for lines in (before, now))
    head = 0
    while head < min(len(old), len(fresh)) and old[head] == fresh[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(fresh)) - head and old[-1 - tail] == fresh[-1 - tail]:
        tail += 1
    pairs = [(at, at) for at in range(head)]
    left, right = old[head : len(old) - tail], fresh[head : len(fresh) - tail]
    if len(left) * len(right) <= _MATCHED:
        blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        pairs += [(head + one + at, head + two + at) for one, two, size in blocks for at in range(size)]
    pairs += [(len(old) - tail + at, len(fresh) - tail + at) for at in range(tail)]
    owners = [new] * len(fresh)
    for one, two in pairs:
        if one < len(blamed):
            owners[two] = blamed[one]
    return owners
