"""Breaking commits: bisect for the commit that broke a claim, and follow renames. Bounded in time and cached."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple, TypeVar

import msgspec
from blake3 import blake3

from codecompass.errors import Failure
from codecompass.model.history_facts import Commit, PathRevision
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.git.commit_log import CommitLog
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.store.memory_port import MemoryCache

_MAX_TOUCHES = 256
_MAX_HOPS = 5
_MAX_ENDINGS = 4
"""Maximum commits that removed one path to read renames from: merges, and the commits they merged."""
_MIN_TIMEOUT_S = 0.5
_Answer = TypeVar("_Answer")
_GIT_TIMEOUT_S = 5.0
_CACHE_KIND = "culprit 5"


class Rename(NamedTuple):
    """The new path of a removed file, empty if it was deleted, and the commit of the last rename."""

    path: str
    commit: Commit | None
    known: bool = True
    """Whether git answered in time."""
    oid: str = ""
    """Object id of the last known content, if the file was deleted."""


class BreakingCommit(NamedTuple):
    """A cached answer."""

    commit: Commit | None


_ENCODER = msgspec.msgpack.Encoder()
_RENAME_DECODER = msgspec.msgpack.Decoder(tuple[bytes, Commit | None, str])
"""Paths are stored as bytes, because git allows paths that are not valid text."""
_BREAKING_COMMIT_DECODER = msgspec.msgpack.Decoder(BreakingCommit)
_RENAMES_DECODER = msgspec.msgpack.Decoder(dict[bytes, bytes])


@dataclass
class CommitBisect:
    """Searches the commits between the one a claim was written at and the one a view is based on."""

    git: ShadowGit
    cache: MemoryCache
    budget: TimeBudget
    timed_out: bool = False
    """Whether the time did not suffice for git to compare contents for renames."""

    def find_rename(self, path: str, start: str, end: str) -> Rename:
        """Follow a removed path through the renames of later commits."""
        key = _make_key("move", path, start, end)
        known = self.cache.get_many(_CACHE_KIND, [key]).get(key)
        if known:
            name, commit, oid = _RENAME_DECODER.decode(known)
            return Rename(_to_path(name), commit, oid=oid)
        log = CommitLog(self.git, self.budget.call.check)
        at, last, oid = path, None, ""
        try:
            for _ in range(_MAX_HOPS):
                touches = self._read_touches(log, end, start, (at,))
                if not touches or touches[0].oid:
                    break
                within = self._read_branch_touches(log, touches[0].commit, (at,))
                oid = next((touch.oid for touch in (*within, *touches) if touch.oid), oid)
                ends = [touches[0], *takewhile(lambda touch: not touch.oid, within)]
                at, last = self._find_destination(log, ends, at)
                if not at:
                    break
        except Failure as failure:
            return self._return_unless_cancelled(failure, Rename("", last, known=False, oid=oid))
        found = Rename(at if at != path else "", last, oid=oid)
        if self.timed_out:
            return found
        self.cache.put_many(_CACHE_KIND, [(key, _ENCODER.encode((_to_bytes(found.path), last, oid)))])
        return found

    def _find_destination(self, log: CommitLog, ends: list[PathRevision], path: str) -> tuple[str, Commit]:
        """Find where the commits in `ends` moved a path; the newest comes first, a merge before its branch."""
        for touch in ends[:_MAX_ENDINGS]:
            name = _find_new_name(self._read_renames(log, touch.commit.id), path)
            if name:
                return name, touch.commit
        return "", next((touch.commit for touch in ends if not touch.commit.merge), ends[0].commit)

    def _read_renames(self, log: CommitLog, commit: str) -> dict[str, str]:
        """Read the renames of a commit; cached, so that all paths of a large commit share the answer.

        If there is no time to compare contents, only exact renames are returned, and nothing is cached.
        """
        key = bytes.fromhex(commit)
        known = self.cache.get_many("renames", [key]).get(key)
        if known is not None:
            return {_to_path(old): _to_path(new) for old, new in _RENAMES_DECODER.decode(known).items()}
        try:
            found = log.find_renames(commit, self._get_timeout())
        except Failure as failure:
            if failure.code == "CANCELLED":
                raise
            self.timed_out = True
            return log.find_renames(commit, _MIN_TIMEOUT_S, share=100)
        self.cache.put_many(
            "renames", [(key, _ENCODER.encode({_to_bytes(old): _to_bytes(new) for old, new in found.items()}))]
        )
        return found

    def find_breaking_commit(
        self, about: str, paths: tuple[str, ...], start: str, end: str, holds: Callable[[str, bytes], bool]
    ) -> Commit | None:
        """Find the commit after which a file, under any of `paths`, no longer satisfies a claim."""
        key = _make_key("break", about, *paths, start, end)
        known = self.cache.get_many(_CACHE_KIND, [key]).get(key)
        if known:
            return _BREAKING_COMMIT_DECODER.decode(known).commit
        log = CommitLog(self.git, self.budget.call.check)
        try:
            found = self._bisect(self._read_touches(log, end, start, paths)[::-1], holds)
            if found is not None and found.merge:
                # A merge is not the cause: search the commits of its branch.
                found = self._bisect(self._read_branch_touches(log, found, paths)[::-1], holds) or found
        except Failure as failure:
            return self._return_unless_cancelled(failure, None)
        if not self.budget.is_over():
            # A timeout is not an answer: the next query continues.
            self.cache.put_many(_CACHE_KIND, [(key, _ENCODER.encode(BreakingCommit(found)))])
        return found

    def _bisect(self, touches: list[PathRevision], holds: Callable[[str, bytes], bool]) -> Commit | None:
        """Return the last commit that broke the claim. `touches` start with the oldest; the claim held before it.

        Gallop back from the newest to a touch after which the claim held, then bisect. A break that was repaired
        long ago is therefore not reported.
        """
        high = len(touches) - 1
        if high < 0 or self._claim_holds(touches[high], holds):
            return None
        low, step = high - 1, 1
        while low >= 0 and not self._claim_holds(touches[low], holds):
            low, high, step = low - step, low, step * 2
            if self.budget.is_over():
                return None
        low = max(low, -1)
        while high - low > 1:
            middle = (low + high) // 2
            if self.budget.is_over():
                return None
            if self._claim_holds(touches[middle], holds):
                low = middle
            else:
                high = middle
        return touches[high].commit

    def _claim_holds(self, touch: PathRevision, holds: Callable[[str, bytes], bool]) -> bool:
        data = self.git.read_blob(touch.oid) if touch.oid else None
        return data is not None and holds(touch.path, data)

    def _read_touches(self, log: CommitLog, end: str, start: str, paths: tuple[str, ...]) -> list[PathRevision]:
        """Read commits of the first-parent line: an older branch may still use what was already moved."""
        return log.list_touches(end, start, paths, _MAX_TOUCHES, self._get_timeout(), first_parent=True)

    def _read_branch_touches(self, log: CommitLog, merge: Commit, paths: tuple[str, ...]) -> list[PathRevision]:
        """Read the commits that a merge brought in; empty if the commit is not a merge."""
        if not merge.merge:
            return []
        found = log.list_touches(merge.id, f"{merge.id}^1", paths, _MAX_TOUCHES, self._get_timeout())
        return [touch for touch in found if touch.commit.id != merge.id]

    def _get_timeout(self) -> float:
        return min(max(self.budget.get_remaining(), 0.2), _GIT_TIMEOUT_S)

    def _return_unless_cancelled(self, failure: Failure, instead: _Answer) -> _Answer:
        if failure.code == "CANCELLED":
            raise failure
        return instead


def _to_bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _to_path(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _find_new_name(renames: dict[str, str], path: str) -> str:
    """Return the new path of a file, or of a directory most of whose files moved to one directory; empty otherwise."""
    if path in renames:
        return renames[path]
    inside = [(old[len(path) :], new) for old, new in renames.items() if old.startswith(path + "/")]
    homes = Counter(new.removesuffix(tail) for tail, new in inside if new.endswith(tail))
    home, count = homes.most_common(1)[0] if homes else ("", 0)
    return home if count * 2 >= len(inside) else ""


def _make_key(*parts: str) -> bytes:
    return blake3("\0".join(parts).encode("utf-8", "surrogateescape")).digest(length=16)
