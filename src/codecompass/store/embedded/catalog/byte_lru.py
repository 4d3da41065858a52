"""Kept: what was unpacked and may be asked for again, bounded by the memory it takes and not by its number."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class Kept(Generic[T]):
    """The values used last, as many as have room together. Its owner holds a lock."""

    room: int
    """Bytes that all of them may take."""
    taken: int = 0
    _known: "OrderedDict[int, tuple[T, int]]" = field(default_factory=OrderedDict)

    def get(self, key: int) -> T | None:
        found = self._known.get(key)
        if found is None:
            return None
        self._known.move_to_end(key)
        return found[0]

    def put(self, key: int, value: T, size: int) -> None:
        """Keep a value of about so many bytes; one that takes more than a quarter of the room is not worth it."""
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
