"""Breaking commits: bisect for the commit that broke a claim, and follow renames. Bounded in time and cached."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple, TypeVar

import msgspec
from blake3 import blake3

from codecompass.engine.memory.time_budget import Budget
from codecompass.errors import Failure
from codecompass.model.history_facts import Commit, Touch
from codecompass.repo.git.commit_log import GitMessages
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.store.memory_port import MemoryCache

_TOUCHES = 256
_HOPS = 5
_ENDS = 4
"""Maximum commits that removed one path to read renames from: merges, and the commits they merged."""
_LEAST_S = 0.5
_Answer = TypeVar("_Answer")
_ASK_S = 5.0
_KIND = "culprit 5"


class Move(NamedTuple):
    """The new path of a removed file, empty if it was deleted, and the commit of the last rename."""

    path: str
    commit: Commit | None
    known: bool = True
    """Whether git answered in time."""
    oid: str = ""
    """Object id of the last known content, if the file was deleted."""


class Blamed(NamedTuple):
    """A cached answer."""

    commit: Commit | None


_ENCODER = msgspec.msgpack.Encoder()
_MOVE = msgspec.msgpack.Decoder(tuple[bytes, Commit | None, str])
"""Paths are stored as bytes, because git allows paths that are not valid text."""
_BLAMED = msgspec.msgpack.Decoder(Blamed)
_RENAMED = msgspec.msgpack.Decoder(dict[bytes, bytes])


@dataclass
class Culprits:
    """Searches the commits between the one a claim was written at and the one a view is based on."""

    git: ShadowGit
    cache: MemoryCache
    budget: Budget
    hasty: bool = False
    """Whether the time did not suffice for git to compare contents for renames."""

    def moved(self, path: str, start: str, end: str) -> Move:
        """Follow a removed path through the renames of later commits."""
        key = _key("move", path, start, end)
        known = self.cache.find(_KIND, [key]).get(key)
        if known:
            name, commit, oid = _MOVE.decode(known)
            return Move(_named(name), commit, oid=oid)
        log = GitMessages(self.git, self.budget.call.check)
        at, last, oid = path, None, ""
        try:
            for _ in range(_HOPS):
                touches = self._touches(log, end, start, (at,))
                if not touches or touches[0].oid:
                    break
                within = self._within(log, touches[0].commit, (at,))
                oid = next((touch.oid for touch in (*within, *touches) if touch.oid), oid)
                ends = [touches[0], *takewhile(lambda touch: not touch.oid, within)]
                at, last = self._went(log, ends, at)
                if not at:
                    break
        except Failure as failure:
            return self._failed(failure, Move("", last, known=False, oid=oid))
        found = Move(at if at != path else "", last, oid=oid)
        if self.hasty:
            return found
        self.cache.keep(_KIND, [(key, _ENCODER.encode((_raw(found.path), last, oid)))])
        return found

    def _went(self, log: GitMessages, ends: list[Touch], path: str) -> tuple[str, Commit]:
        """Find where the commits in `ends` moved a path; the newest comes first, a merge before its branch."""
        for touch in ends[:_ENDS]:
            name = _renamed(self._renames(log, touch.commit.id), path)
            if name:
                return name, touch.commit
        return "", next((touch.commit for touch in ends if not touch.commit.merge), ends[0].commit)

    def _renames(self, log: GitMessages, commit: str) -> dict[str, str]:
        """Read the renames of a commit; cached, so that all paths of a large commit share the answer.

        If there is no time to compare contents, only exact renames are returned, and nothing is cached.
        """
        key = bytes.fromhex(commit)
        known = self.cache.find("renames", [key]).get(key)
        if known is not None:
            return {_named(old): _named(new) for old, new in _RENAMED.decode(known).items()}
        try:
            found = log.renames(commit, self._time())
        except Failure as failure:
            if failure.code == "CANCELLED":
                raise
            self.hasty = True
            return log.renames(commit, _LEAST_S, share=100)
        self.cache.keep("renames", [(key, _ENCODER.encode({_raw(old): _raw(new) for old, new in found.items()}))])
        return found

    def breaker(
        self, about: str, paths: tuple[str, ...], start: str, end: str, holds: Callable[[str, bytes], bool]
    ) -> Commit | None:
        """Find the commit after which a file, under any of `paths`, no longer satisfies a claim."""
        key = _key("break", about, *paths, start, end)
        known = self.cache.find(_KIND, [key]).get(key)
        if known:
            return _BLAMED.decode(known).commit
        log = GitMessages(self.git, self.budget.call.check)
        try:
            found = self._search(self._touches(log, end, start, paths)[::-1], holds)
            if found is not None and found.merge:
                # A merge is not the cause: search the commits of its branch.
                found = self._search(self._within(log, found, paths)[::-1], holds) or found
        except Failure as failure:
            return self._failed(failure, None)
        if not self.budget.over():
            # A timeout is not an answer: the next query continues.
            self.cache.keep(_KIND, [(key, _ENCODER.encode(Blamed(found)))])
        return found

    def _search(self, touches: list[Touch], holds: Callable[[str, bytes], bool]) -> Commit | None:
        """Return the last commit that broke the claim. `touches` start with the oldest; the claim held before it.

        Gallop back from the newest to a touch after which the claim held, then bisect. A break that was repaired
        long ago is therefore not reported.
        """
        high = len(touches) - 1
        if high < 0 or self._holds(touches[high], holds):
            return None
        low, step = high - 1, 1
        while low >= 0 and not self._holds(touches[low], holds):
            low, high, step = low - step, low, step * 2
            if self.budget.over():
                return None
        low = max(low, -1)
        while high - low > 1:
            middle = (low + high) // 2
            if self.budget.over():
                return None
            if self._holds(touches[middle], holds):
                low = middle
            else:
                high = middle
        return touches[high].commit

    def _holds(self, touch: Touch, holds: Callable[[str, bytes], bool]) -> bool:
        data = self.git.read_blob(touch.oid) if touch.oid else None
        return data is not None and holds(touch.path, data)

    def _touches(self, log: GitMessages, end: str, start: str, paths: tuple[str, ...]) -> list[Touch]:
        """Read commits of the first-parent line: an older branch may still use what was already moved."""
        return log.touching(end, start, paths, _TOUCHES, self._time(), main=True)

    def _within(self, log: GitMessages, merge: Commit, paths: tuple[str, ...]) -> list[Touch]:
        """Read the commits that a merge brought in; empty if the commit is not a merge."""
        if not merge.merge:
            return []
        found = log.touching(merge.id, f"{merge.id}^1", paths, _TOUCHES, self._time())
        return [touch for touch in found if touch.commit.id != merge.id]

    def _time(self) -> float:
        return min(max(self.budget.left(), 0.2), _ASK_S)

    def _failed(self, failure: Failure, instead: _Answer) -> _Answer:
        if failure.code == "CANCELLED":
            raise failure
        return instead


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _named(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _renamed(renames: dict[str, str], path: str) -> str:
    """Return the new path of a file, or of a directory most of whose files moved to one directory; empty otherwise."""
    if path in renames:
        return renames[path]
    inside = [(old[len(path) :], new) for old, new in renames.items() if old.startswith(path + "/")]
    homes = Counter(new.removesuffix(tail) for tail, new in inside if new.endswith(tail))
    home, count = homes.most_common(1)[0] if homes else ("", 0)
    return home if count * 2 >= len(inside) else ""


def _key(*parts: str) -> bytes:
    return blake3("\0".join(parts).encode("utf-8", "surrogateescape")).digest(length=16)
