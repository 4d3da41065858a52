"""Search result cache: results of earlier searches on one generation.

Agents repeat the same query over several surfaces. A result cannot change within a generation, so it is cached; its
freshness is checked again for every answer.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

from codecompass.model.queries.results import Hits

MAX_CACHE_BYTES = 16_000_000
"""Approximate size limit of all cached results, in bytes."""
MAX_ENTRY_BYTES = MAX_CACHE_BYTES // 64
"""Size limit of one cached result."""
_HIT_BYTES, _ANSWER_BYTES = 1_500, 500
"""Estimated bytes of a hit and of an answer, without their texts."""


@dataclass
class ResultCache:
    """LRU cache of search results of one project; thread-safe."""

    _entries: "OrderedDict[Hashable, tuple[Hits, tuple[str, ...], int]]" = field(default_factory=OrderedDict)
    _size: int = 0
    _lock: Lock = field(default_factory=Lock)

    def get(
        self, key: Hashable, make: Callable[[], tuple[Hits, tuple[str, ...], bool]]
    ) -> tuple[Hits, tuple[str, ...]]:
        """Return the hits and the paths they show; `make` also tells whether the result may be cached."""
        with self._lock:
            cached = self._entries.get(key)
            if cached is not None:
                self._entries.move_to_end(key)
                return cached[:2]
        hits, paths, is_cacheable = make()
        size = _estimate_size(hits)
        if is_cacheable and size <= MAX_ENTRY_BYTES:
            with self._lock:
                if key not in self._entries:
                    self._entries[key] = hits, paths, size
                    self._size += size
                while self._size > MAX_CACHE_BYTES:
                    self._size -= self._entries.popitem(last=False)[1][2]
        return hits, paths

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._size = 0


def _estimate_size(hits: Hits) -> int:
    texts = sum(len(hit.body_preview) + len(hit.snippet) + len(hit.signature) for hit in hits.hits)
    return _ANSWER_BYTES + _HIT_BYTES * len(hits.hits) + texts
