"""Text cache: file texts in memory within a byte budget, shared by all projects and views of a process.

Texts are compressed unless everything that a search visits fits uncompressed.

A search through all files must not evict texts that it used a moment ago, or the next search would find nothing in the
cache. So the cache never evicts a text that the current search has used; a text that then does not fit is read again.
"""

from collections import OrderedDict
from itertools import count
from threading import Lock

LARGEST = 4 * 2**20
"""Maximum size in bytes of a cached text."""
OVERHEAD = 200
"""Memory overhead of an entry in bytes, besides its text."""


class KeptTexts:
    """Maps a content hash to a text and whether it is compressed. Thread-safe."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.size = 0
        self._kept: OrderedDict[bytes, tuple[bytes, bool, int]] = OrderedDict()
        self._rounds = count(1)
        self._lock = Lock()

    def begin(self) -> int:
        """Start a search and return its number."""
        return next(self._rounds)

    def get(self, digest: bytes, search_number: int) -> tuple[bytes, bool] | None:
        with self._lock:
            found = self._kept.get(digest)
            if found is None:
                return None
            self._kept[digest] = (*found[:2], search_number)
            self._kept.move_to_end(digest)
            return found[:2]

    def put(self, digest: bytes, text: bytes, search_number: int, *, packed: bool) -> None:
        """Cache a text if it fits, evicting only texts that this search did not use."""
        wanted = len(text) + OVERHEAD
        with self._lock:
            if digest in self._kept or wanted > self.budget:
                return
            while self.size + wanted > self.budget:
                oldest, (held, _, last) = next(iter(self._kept.items()))
                if last >= search_number:
                    return
                del self._kept[oldest]
                self.size -= len(held) + OVERHEAD
            self._kept[digest] = (text, packed, search_number)
            self.size += wanted

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.size = 0
