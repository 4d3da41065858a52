"""Commits for a walk: from the store, and where it has none from git, which fills the store."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Self

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.history_facts import CommitRecord
from codecompass.repo.git.git_log import GitLog
from codecompass.store.ports import HistoryStore

ASK_S = 8.0
"""Seconds one question to git may take, of all that a walk asks."""
TOO_MUCH = ("TOOL_TIMEOUT", "INTERNAL")
"""How an answer fails that took too long or had no end; a smaller question may do."""
_FIRST_CHUNK = 500
_CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Clock:
    """How long one question may ask git."""

    until: float
    call: Call

    def left(self) -> float:
        self.call.check()
        return self.until - time.monotonic()


class _Asked(NamedTuple):
    """A question that git is at work on."""

    starts: frozenset[str]
    excluded: tuple[str, ...]
    wanted: int
    answer: Future[tuple[list[CommitRecord], bool]]


class Records:
    """Records of commits for one walk, which asks for them roughly in git's own order.

    While one chunk is walked the next is read: most of the time is git's.
    """

    def __init__(
        self, store: HistoryStore, log: GitLog, borders: frozenset[str], tips: Sequence[str], limit: int, clock: Clock
    ) -> None:
        self._store = store
        self._log = log
        self._borders = borders
        self._excluded = tuple(tips)
        self._left = limit
        self._clock = clock
        self._memory: dict[str, CommitRecord] = {}
        self._seen: set[str] = set()
        self._edge: set[str] = set()
        """Parents of what was read that were not read themselves: where the next chunk begins."""
        self._chunk = _FIRST_CHUNK
        self._pace = 0.0
        self._pool = ThreadPoolExecutor(1, "history")
        self._ahead: _Asked | None = None
        self.in_time = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def get(self, commit: str) -> CommitRecord | str:
        """A commit's record, or why there is none."""
        self._clock.call.check()
        if commit in self._borders:
            return "shallow"
        found = self._memory.pop(commit, None)
        if found is None:
            self._remember(self._store.records(commit))
            found = self._memory.pop(commit, None)
        return found or self._fetch(commit)

    def _fetch(self, commit: str) -> CommitRecord | str:
        """Ask git for more, from here and from wherever the last chunk ended."""
        while True:
            if not self.in_time or self._clock.left() <= 0:
                self.in_time = False
                return "time"
            try:
                asked, end = self._read(commit)
            except Failure as failure:
                # Whoever asked has gone: that says nothing of the history, and must not be kept as if it did.
                self._clock.call.check()
                if failure.code not in TOO_MUCH or self._chunk == 1:
                    self.in_time = failure.code != "TOOL_TIMEOUT"
                    return "missing" if self.in_time else "time"
                # Longer than one answer may take or hold; enormous commits are asked for by themselves.
                self._chunk = max(1, self._chunk // 8)
                continue
            if commit in self._memory:
                return self._memory.pop(commit)
            if end == "all" and commit in asked.starts and asked.excluded:
                # It lies behind an earlier walk, beyond the place where that one stopped.
                self._excluded = ()
            elif end == "all" and commit in asked.starts or end == "broken" and asked.starts == {commit}:
                return "missing"

    def _read(self, commit: str) -> tuple[_Asked, str]:
        """Take in the chunk that was read ahead, or one that begins here; and whether it was `all` there is."""
        self._clock.call.step("history", len(self._seen))
        asked, self._ahead = self._ahead or self._ask(self._edge | {commit}), None
        records, intact = asked.answer.result()
        end = "broken" if not intact else "all" if len(records) < asked.wanted else "more"
        if not self._keep(records) and end == "more" or end == "broken":
            # Clocks that go wrong lead back into what was read, and git gives up at the first object that is missing:
            # the next question is for one commit alone.
            self._edge.clear()
        # What was asked for is stored only when all of it has come, so a slow disk gets smaller questions.
        self._chunk = min(self._chunk * 4, _CHUNK) if self._pace < ASK_S / 8 else max(1, self._chunk // 2)
        self._left -= len(records)
        if end == "more" and self._edge and self._left > 0:
            self._ahead = self._ask(self._edge)
        return asked, end

    def _ask(self, starts: Iterable[str]) -> _Asked:
        begin, excluded, count = frozenset(starts), self._excluded, self._chunk
        answer = self._pool.submit(self._timed, sorted(begin), excluded, count, min(self._clock.left(), ASK_S))
        return _Asked(begin, excluded, count, answer)

    def _timed(
        self, starts: list[str], excluded: tuple[str, ...], count: int, timeout: float
    ) -> tuple[list[CommitRecord], bool]:
        began = time.monotonic()
        try:
            return self._log.commits(starts, excluded, count, timeout)
        finally:
            self._pace = time.monotonic() - began

    def _keep(self, records: list[CommitRecord]) -> int:
        """Take records in; gives how many were new."""
        # git takes a commit at the border of a shallow clone for one that added everything.
        records = [one for one in records if one.commit.id not in self._borders]
        new = [one for one in records if one.commit.id not in self._seen]
        self._seen.update(one.commit.id for one in new)
        self._edge.update(parent for one in new for parent in one.parents)
        self._edge -= self._seen
        self._edge -= self._borders
        self._remember(records)
        if new:
            attempt(lambda: self._store.add_records(new))
        return len(new)

    def _remember(self, records: Iterable[CommitRecord]) -> None:
        self._memory.update((one.commit.id, one) for one in records)


def attempt(write: Callable[[], None]) -> None:
    """Write what can be found again; a full disk or a busy file must not cost the answer."""
    try:
        write()
    except Failure:
        return
