"""Search result cache: results of earlier searches on one generation.

Agents repeat the same query over several surfaces. A result cannot change within a generation, so it is cached; its
freshness is checked again for every answer.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

from codecompass.cache import LRU
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

    _entries: LRU[Hashable, tuple[Hits, tuple[str, ...]]] = field(
        default_factory=lambda: LRU(MAX_CACHE_BYTES, MAX_ENTRY_BYTES)
    )

    def get(self, key: Hashable) -> tuple[Hits, tuple[str, ...]] | None:
        """Return the hits of an earlier search and the paths they show."""
        return self._entries.get(key)

    def put(self, key: Hashable, hits: Hits, paths: tuple[str, ...]) -> None:
        self._entries.put(key, (hits, paths), _estimate_size(hits))


def _estimate_size(hits: Hits) -> int:
    texts = sum(len(hit.body_preview) + len(hit.snippet) + len(hit.signature) for hit in hits.hits)
    return _ANSWER_BYTES + _HIT_BYTES * len(hits.hits) + texts
