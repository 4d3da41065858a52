"""Answered: searches of one published state that were asked before.

Agents ask the same question over several surfaces and again when they come back to it. What was found belongs to a
generation and cannot change within it, so it is kept; how fresh it is, is looked at for every answer anew.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

from codecompass.model.result import Hits

KEPT = 128
LARGEST = 64_000
"""Characters of source in one answer that is kept."""


@dataclass
class Answered:
    """Thread-safe; the answers asked for last, of one project."""

    _known: "OrderedDict[Hashable, tuple[Hits, tuple[str, ...]]]" = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def get(
        self, key: Hashable, make: Callable[[], tuple[Hits, tuple[str, ...], bool]]
    ) -> tuple[Hits, tuple[str, ...]]:
        """The answer and the files it shows; `make` says besides whether it lasts as long as the generation does."""
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        hits, paths, lasting = make()
        if lasting and sum(len(hit.body_preview) + len(hit.snippet) for hit in hits.hits) <= LARGEST:
            with self._lock:
                self._known[key] = hits, paths
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
        return hits, paths
