"""Kept: texts of files held in memory within a budget; shared by all projects and views of a process.

They are packed, unless all that a search goes through fits as it is.

A search through everything must not push out what it came past a moment ago, or it would find nothing the next time.
So nothing is dropped that the search at work has used, and what then finds no room is read again.
"""

from collections import OrderedDict
from itertools import count
from threading import Lock

LARGEST = 4 * 2**20
"""Bytes of a text that is kept at all."""
OVERHEAD = 200
"""Bytes that an entry costs beside its text."""


class KeptTexts:
    """Content hash → text, and whether it is packed. Thread-safe."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.size = 0
        self._kept: OrderedDict[bytes, tuple[bytes, bool, int]] = OrderedDict()
        self._rounds = count(1)
        self._lock = Lock()

    def begin(self) -> int:
        """The number of a search that begins."""
        return next(self._rounds)

    def get(self, digest: bytes, turn: int) -> tuple[bytes, bool] | None:
        with self._lock:
            found = self._kept.get(digest)
            if found is None:
                return None
            self._kept[digest] = (*found[:2], turn)
            self._kept.move_to_end(digest)
            return found[:2]

    def put(self, digest: bytes, text: bytes, turn: int, *, packed: bool) -> None:
        """Keep a text if there is room, or room can be made of what this search did not use."""
        wanted = len(text) + OVERHEAD
        with self._lock:
            if digest in self._kept or wanted > self.budget:
                return
            while self.size + wanted > self.budget:
                oldest, (held, _, last) = next(iter(self._kept.items()))
                if last >= turn:
                    return
                del self._kept[oldest]
                self.size -= len(held) + OVERHEAD
            self._kept[digest] = (text, packed, turn)
            self.size += wanted

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.size = 0
