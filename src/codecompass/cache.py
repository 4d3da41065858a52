"""Cache: a least-recently-used cache, limited by the number or the bytes of its values."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LRU(Generic[Key, Value]):
    """The most recently used values whose sizes add up to at most `capacity`. Thread-safe.

    A size is a number of bytes, or 1 where the values are counted.
    """

    def __init__(self, capacity: int, max_size: int | None = None) -> None:
        """Create an empty cache; values larger than `max_size` are not cached."""
        self.capacity = capacity
        self.used = 0
        self._max_size = capacity if max_size is None else min(max_size, capacity)
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return None
            self._entries.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value, size: int = 1, is_in_use: Callable[[Value], bool] | None = None) -> None:
        """Cache a value, dropping the least recently used ones to make room.

        If the next value to drop is in use, nothing more is dropped, and the new value is not cached.
        """
        with self._lock:
            self._remove(key)
            if size > self._max_size:
                return
            while self.used + size > self.capacity:
                oldest, (held, _) = next(iter(self._entries.items()))
                if is_in_use is not None and is_in_use(held):
                    return
                self._remove(oldest)
            self._entries[key] = value, size
            self.used += size

    def remove(self, key: Key) -> None:
        """Remove a value, if it is cached."""
        with self._lock:
            self._remove(key)

    def _remove(self, key: Key) -> None:
        held = self._entries.pop(key, None)
        if held is not None:
            self.used -= held[1]

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self.used = 0

    def __len__(self) -> int:
        return len(self._entries)
