"""Byte LRU: a least-recently-used cache bounded by the bytes of its values, not by their number."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class Kept(Generic[T]):
    """The most recently used values that fit into the capacity. Not thread-safe: the caller holds a lock."""

    room: int
    """Maximum total bytes."""
    taken: int = 0
    _known: "OrderedDict[int, tuple[T, int]]" = field(default_factory=OrderedDict)

    def get(self, key: int) -> T | None:
        found = self._known.get(key)
        if found is None:
            return None
        self._known.move_to_end(key)
        return found[0]

    def put(self, key: int, value: T, size: int) -> None:
        """Cache a value of about `size` bytes; values larger than a quarter of the capacity are not cached."""
        if size * 4 > self.room:
            return
        old = self._known.pop(key, None)
        self.taken += size - (old[1] if old else 0)
        self._known[key] = value, size
        while self.taken > self.room:
            self.taken -= self._known.popitem(last=False)[1][1]

    def clear(self) -> None:
        self._known.clear()
        self.taken = 0

    def __len__(self) -> int:
        return len(self._known)
