"""Commit records: read the commits of a walk from the store, or from git if they are not stored yet."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import NamedTuple, Self

from codecompass.errors import ErrorCode, Failure
from codecompass.model.history_facts import CommitRecord
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.git.git_log import GitLog
from codecompass.store.ports import HistoryStore

GIT_TIMEOUT_S = 8.0
"""Timeout of one git command of a walk, in seconds."""
TOO_LARGE_CODES: tuple[ErrorCode, ...] = ("TOOL_TIMEOUT", "INTERNAL")
"""Error codes of a git command that took too long or printed too much; a smaller request may succeed."""
_FIRST_CHUNK = 500
_CHUNK = 2_000


class _PendingRead(NamedTuple):
    """A running git log command."""

    starts: frozenset[str]
    excluded: tuple[str, ...]
    wanted: int
    answer: Future[tuple[list[CommitRecord], bool]]


class CommitRecordReader:
    """Reads commit records for one walk, which needs them roughly in git's own order.

    The next chunk is read while the current one is walked, because most of the time is spent in git.
    """

    def __init__(
        self,
        store: HistoryStore,
        log: GitLog,
        borders: frozenset[str],
        tips: Sequence[str],
        limit: int,
        clock: TimeBudget,
    ) -> None:
        self._store = store
        self._log = log
        self._borders = borders
        self._excluded = tuple(tips)
        self._remaining = limit
        self._budget = clock
        self._cached: dict[str, CommitRecord] = {}
        self._seen: set[str] = set()
        self._edge: set[str] = set()
        """Unread parents of the commits read so far, where the next chunk begins."""
        self._chunk = _FIRST_CHUNK
        self._last_duration = 0.0
        self._pool = ThreadPoolExecutor(1, "history")
        self._prefetched: _PendingRead | None = None
        self.in_time = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def get(self, commit: str) -> CommitRecord | str:
        """Return the record of a commit, or the reason why there is none."""
        self._budget.call.check()
        if commit in self._borders:
            return "shallow"
        found = self._cached.pop(commit, None)
        if found is None:
            self._cache_records(self._store.records(commit))
            found = self._cached.pop(commit, None)
        return found or self._fetch(commit)

    def _fetch(self, commit: str) -> CommitRecord | str:
        """Read more from git, beginning at this commit and at the end of the last chunk."""
        while True:
            if not self.in_time or self._budget.get_remaining() <= 0:
                self.in_time = False
                return "time"
            try:
                pending, end = self._read(commit)
            except Failure as failure:
                # If the call was cancelled, this raises: a cancelled read must not be stored as missing history.
                self._budget.call.check()
                if failure.code not in TOO_LARGE_CODES or self._chunk == 1:
                    self.in_time = failure.code != "TOOL_TIMEOUT"
                    return "missing" if self.in_time else "time"
                # The chunk is too large for one command; enormous commits are read one by one.
                self._chunk = max(1, self._chunk // 8)
                continue
            if commit in self._cached:
                return self._cached.pop(commit)
            if end == "all" and commit in pending.starts and pending.excluded:
                # The commit is behind an earlier walk, beyond the point where that one stopped.
                self._excluded = ()
            elif end == "all" and commit in pending.starts or end == "broken" and pending.starts == {commit}:
                return "missing"

    def _read(self, commit: str) -> tuple[_PendingRead, str]:
        """Return the prefetched chunk, or one that begins here, and its end: `all`, `more` or `broken`."""
        self._budget.call.step("history", len(self._seen))
        pending, self._prefetched = self._prefetched or self._start_read(self._edge | {commit}), None
        records, intact = pending.answer.result()
        end = "broken" if not intact else "all" if len(records) < pending.wanted else "more"
        if not self._add_records(records) and end == "more" or end == "broken":
            # Wrong commit dates lead back to commits already read, and git stops at the first missing object:
            # the next command reads one commit alone.
            self._edge.clear()
        # A chunk is stored only when it is complete, so a slow disk gets smaller chunks.
        self._chunk = (
            min(self._chunk * 4, _CHUNK) if self._last_duration < GIT_TIMEOUT_S / 8 else max(1, self._chunk // 2)
        )
        self._remaining -= len(records)
        if end == "more" and self._edge and self._remaining > 0:
            self._prefetched = self._start_read(self._edge)
        return pending, end

    def _start_read(self, starts: Iterable[str]) -> _PendingRead:
        begin, excluded, count = frozenset(starts), self._excluded, self._chunk
        answer = self._pool.submit(
            self._read_log, sorted(begin), excluded, count, min(self._budget.get_remaining(), GIT_TIMEOUT_S)
        )
        return _PendingRead(begin, excluded, count, answer)

    def _read_log(
        self, starts: list[str], excluded: tuple[str, ...], count: int, timeout: float
    ) -> tuple[list[CommitRecord], bool]:
        began = time.monotonic()
        try:
            return self._log.list_commits(starts, excluded, count, timeout)
        finally:
            self._last_duration = time.monotonic() - began

    def _add_records(self, records: list[CommitRecord]) -> int:
        """Cache and store records; returns how many were new."""
        # git shows a commit at the border of a shallow clone as one that added every file.
        records = [one for one in records if one.commit.id not in self._borders]
        new = [one for one in records if one.commit.id not in self._seen]
        self._seen.update(one.commit.id for one in new)
        self._edge.update(parent for one in new for parent in one.parents)
        self._edge -= self._seen
        self._edge -= self._borders
        self._cache_records(records)
        if new:
            try_write(lambda: self._store.add_records(new))
        return len(new)

    def _cache_records(self, records: Iterable[CommitRecord]) -> None:
        self._cached.update((one.commit.id, one) for one in records)


def try_write(write: Callable[[], None]) -> None:
    """Write data that can be recomputed; a full disk or a locked file must not fail the call."""
    try:
        write()
    except Failure:
        return
