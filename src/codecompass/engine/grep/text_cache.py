"""Text cache: file texts in memory within a byte budget, shared by all projects and views of a process.

Texts are compressed unless everything that a search visits fits uncompressed.

A search through all files must not evict texts that it used a moment ago, or the next search would find nothing in the
cache. So the cache never evicts a text that the current search has used; a text that then does not fit is read again.
"""

from dataclasses import dataclass
from itertools import count

from codecompass.cache import LRU

MAX_TEXT_BYTES = 4 * 2**20
"""Maximum size in bytes of a cached text."""
ENTRY_OVERHEAD = 200
"""Memory overhead of an entry in bytes, besides its text."""


@dataclass(slots=True)
class _CachedText:
    """A text, whether it is compressed, and the number of the last search that used it."""

    text: bytes
    packed: bool
    search_number: int


class TextCache:
    """Maps a content hash to a text and whether it is compressed. Thread-safe."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._texts: LRU[bytes, _CachedText] = LRU(budget)
        self._search_numbers = count(1)

    @property
    def size(self) -> int:
        """Bytes of all cached texts."""
        return self._texts.used

    def start_search(self) -> int:
        """Start a search and return its number."""
        return next(self._search_numbers)

    def get(self, digest: bytes, search_number: int) -> tuple[bytes, bool] | None:
        found = self._texts.get(digest)
        if found is None:
            return None
        found.search_number = search_number
        return found.text, found.packed

    def put(self, digest: bytes, text: bytes, search_number: int, *, packed: bool) -> None:
        """Cache a text if it fits, evicting only texts that this search did not use."""
        entry = _CachedText(text, packed, search_number)
        self._texts.put(digest, entry, len(text) + ENTRY_OVERHEAD, lambda held: held.search_number >= search_number)
