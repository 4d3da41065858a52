"""Text cache: file texts in memory within a byte budget, shared by all projects and views of a process.

Texts are compressed unless everything that a search visits fits uncompressed.

A search through all files must not evict texts that it used a moment ago, or the next search would find nothing in the
cache. So the cache never evicts a text that the current search has used; a text that then does not fit is read again.
"""

from collections import OrderedDict
from itertools import count
from threading import Lock

MAX_TEXT_BYTES = 4 * 2**20
"""Maximum size in bytes of a cached text."""
ENTRY_OVERHEAD = 200
"""Memory overhead of an entry in bytes, besides its text."""


class TextCache:
    """Maps a content hash to a text and whether it is compressed. Thread-safe."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.size = 0
        self._texts: OrderedDict[bytes, tuple[bytes, bool, int]] = OrderedDict()
        self._search_numbers = count(1)
        self._lock = Lock()

    def start_search(self) -> int:
        """Start a search and return its number."""
        return next(self._search_numbers)

    def get(self, digest: bytes, search_number: int) -> tuple[bytes, bool] | None:
        with self._lock:
            found = self._texts.get(digest)
            if found is None:
                return None
            self._texts[digest] = (*found[:2], search_number)
            self._texts.move_to_end(digest)
            return found[:2]

    def put(self, digest: bytes, text: bytes, search_number: int, *, packed: bool) -> None:
        """Cache a text if it fits, evicting only texts that this search did not use."""
        wanted = len(text) + ENTRY_OVERHEAD
        with self._lock:
            if digest in self._texts or wanted > self.budget:
                return
            while self.size + wanted > self.budget:
                oldest, (held, _, last) = next(iter(self._texts.items()))
                if last >= search_number:
                    return
                del self._texts[oldest]
                self.size -= len(held) + ENTRY_OVERHEAD
            self._texts[digest] = (text, packed, search_number)
            self.size += wanted

    def clear(self) -> None:
        with self._lock:
            self._texts.clear()
            self.size = 0
