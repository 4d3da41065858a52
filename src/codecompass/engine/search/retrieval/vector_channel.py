"""Vector channel: similarity features in 0..1, and chunks that words did not find."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.store.vector_port import Likeness, Nearness, VectorHit

NEAREST = 20
"""Number of nearest chunks that become candidates, whatever their words."""
FLOOR = 0.25
"""Minimum cosine similarity of a chunk that matches by its vector alone."""

Ask = Callable[[PinnedView, str], Likeness | None]
"""Compares a query with the vectors of a view; None if there is no model or nothing is embedded yet."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """The four similarity features of a file."""

    near: float
    near_file: float
    near_outline: float
    near_path: float


class Nearby:
    """Similarity of the files of one view to one query.

    Cosines of different queries are not comparable, so each is rescaled for its query: the median file of the view is
    0 and the nearest candidate 1.
    """

    def __init__(self, similarity: Likeness) -> None:
        self._likeness = similarity
        self._middle = similarity.middle()

    def places(self, only: frozenset[int] | None = None) -> list[VectorHit]:
        """Return the nearest chunks above the minimum similarity."""
        return [hit for hit in self._likeness.best(NEAREST, only) if hit.similarity >= FLOOR]

    def of(self, paths: Iterable[str]) -> dict[str, Closeness]:
        near = self._likeness.near(paths)
        if not near:
            return {}
        middle, highest = self._middle, Nearness(*map(max, zip(*near.values(), strict=True)))
        return {
            path: Closeness(
                _within(found.best, middle.best, highest.best),
                _within(found.whole, middle.whole, highest.whole),
                _within(found.outline, middle.outline, highest.outline),
                _within(found.path, middle.path, highest.path),
            )
            for path, found in near.items()
        }


def _within(value: float, middle: float, highest: float) -> float:
    return min(1.0, max(0.0, (value - middle) / (highest - middle))) if highest > middle else 0.0
