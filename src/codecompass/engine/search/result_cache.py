"""Answered: searches of one published state that were asked before.

Agents ask the same question over several surfaces and again when they come back to it. What was found belongs to a
generation and cannot change within it, so it is kept; how fresh it is, is looked at for every answer anew.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

from codecompass.model.queries.results import Hits

KEPT = 16_000_000
"""Bytes that all kept answers may take, about."""
LARGEST = KEPT // 64
"""And one of them."""
_HIT, _ANSWER = 1_500, 500
"""Bytes of a hit and of an answer without their texts."""


@dataclass
class Answered:
    """Thread-safe; the answers asked for last, of one project."""

    _known: "OrderedDict[Hashable, tuple[Hits, tuple[str, ...], int]]" = field(default_factory=OrderedDict)
    _size: int = 0
    _lock: Lock = field(default_factory=Lock)

    def get(
        self, key: Hashable, make: Callable[[], tuple[Hits, tuple[str, ...], bool]]
    ) -> tuple[Hits, tuple[str, ...]]:
        """The answer and the files it shows; `make` says besides whether it lasts as long as the generation does."""
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known[:2]
        hits, paths, lasting = make()
        size = _size_of(hits)
        if lasting and size <= LARGEST:
            with self._lock:
                if key not in self._known:
                    self._known[key] = hits, paths, size
                    self._size += size
                while self._size > KEPT:
                    self._size -= self._known.popitem(last=False)[1][2]
        return hits, paths

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
            self._size = 0


def _size_of(hits: Hits) -> int:
    texts = sum(len(hit.body_preview) + len(hit.snippet) + len(hit.signature) for hit in hits.hits)
    return _ANSWER + _HIT * len(hits.hits) + texts
