"""Byte LRU: a least-recently-used cache bounded by the bytes of its values, not by their number."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class ByteLRU(Generic[T]):
    """The most recently used values that fit into the capacity. Not thread-safe: the caller holds a lock."""

    capacity: int
    """Maximum total bytes."""
    used: int = 0
    _entries: "OrderedDict[int, tuple[T, int]]" = field(default_factory=OrderedDict)

    def get(self, key: int) -> T | None:
        found = self._entries.get(key)
        if found is None:
            return None
        self._entries.move_to_end(key)
        return found[0]

    def put(self, key: int, value: T, size: int) -> None:
        """Cache a value of about `size` bytes; values larger than a quarter of the capacity are not cached."""
        if size * 4 > self.capacity:
            return
        old = self._entries.pop(key, None)
        self.used += size - (old[1] if old else 0)
        self._entries[key] = value, size
        while self.used > self.capacity:
            self.used -= self._entries.popitem(last=False)[1][1]

    def clear(self) -> None:
        self._entries.clear()
        self.used = 0

    def __len__(self) -> int:
        return len(self._entries)
