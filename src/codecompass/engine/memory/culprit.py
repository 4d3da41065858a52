"""Culprit: which commit made a claim untrue, and where a file that is gone went to. Bounded, and kept by commits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import msgspec
from blake3 import blake3

from codecompass.engine.memory.budget import Budget
from codecompass.errors import Failure
from codecompass.model.history import Commit, Touch
from codecompass.repo.git import ShadowGit
from codecompass.repo.messages import GitMessages
from codecompass.store.memory import MemoryCache

_TOUCHES = 256
_HOPS = 5
_Answer = TypeVar("_Answer")
_ASK_S = 5.0
_KIND = "culprit"


class Move(NamedTuple):
    """Where a path went: its name now, empty where it is gone, and the commit that did the last step."""

    path: str
    commit: Commit | None


class Blamed(NamedTuple):
    """An answer as it is kept."""

    commit: Commit | None


_ENCODER = msgspec.msgpack.Encoder()
_MOVE = msgspec.msgpack.Decoder(Move)
_BLAMED = msgspec.msgpack.Decoder(Blamed)


@dataclass
class Culprits:
    """Looks between the commit a claim was written at and the one a view stands on."""

    git: ShadowGit
    cache: MemoryCache
    budget: Budget

    def moved(self, path: str, start: str, end: str) -> Move:
        """Follow a path that is gone through the renames of later commits."""
        key = _key("move", path, start, end)
        known = self.cache.find(_KIND, [key]).get(key)
        if known:
            return _MOVE.decode(known)
        log = GitMessages(self.git, self.budget.call.check)
        at, last = path, None
        try:
            for _ in range(_HOPS):
                touches = self._touches(log, end, start, (at,))
                gone = next((touch for touch in touches if not touch.oid), None)
                if gone is None or touches[0].oid:
                    break
                last = gone.commit
                name = log.renamed(gone.commit.id, at, self._time())
                if not name:
                    at = ""
                    break
                at = name
        except Failure as failure:
            return self._failed(failure, Move("", None))
        found = Move(at if at != path else "", last)
        self.cache.keep(_KIND, [(key, _ENCODER.encode(found))])
        return found

    def breaker(
        self, about: str, paths: tuple[str, ...], start: str, end: str, holds: Callable[[str, bytes], bool]
    ) -> Commit | None:
        """The commit after which a file, by its names in turn, no longer says what was claimed, where it did before."""
        key = _key("break", about, *paths, start, end)
        known = self.cache.find(_KIND, [key]).get(key)
        if known:
            return _BLAMED.decode(known).commit
        log = GitMessages(self.git, self.budget.call.check)
        try:
            touches = self._touches(log, end, start, paths)[::-1]
            found = self._search(touches, holds)
        except Failure as failure:
            return self._failed(failure, None)
        self.cache.keep(_KIND, [(key, _ENCODER.encode(Blamed(found)))])
        return found

    def _search(self, touches: list[Touch], holds: Callable[[str, bytes], bool]) -> Commit | None:
        """Halve the touches, the oldest first: it held before the first, and does not after the last."""
        low, high = 0, len(touches) - 1
        if high < 0 or self._holds(touches[high], holds):
            return None
        while low < high:
            middle = (low + high) // 2
            if self.budget.over():
                return None
            if self._holds(touches[middle], holds):
                low = middle + 1
            else:
                high = middle
        return touches[low].commit

    def _holds(self, touch: Touch, holds: Callable[[str, bytes], bool]) -> bool:
        data = self.git.read_blob(touch.oid) if touch.oid else None
        return data is not None and holds(touch.path, data)

    def _touches(self, log: GitMessages, end: str, start: str, paths: tuple[str, ...]) -> list[Touch]:
        return log.touching(end, start, paths, _TOUCHES, self._time())

    def _time(self) -> float:
        return min(max(self.budget.left(), 0.2), _ASK_S)

    def _failed(self, failure: Failure, instead: _Answer) -> _Answer:
        if failure.code == "CANCELLED":
            raise failure
        return instead


def _key(*parts: str) -> bytes:
    return blake3("\0".join(parts).encode("utf-8", "surrogateescape")).digest(length=16)
