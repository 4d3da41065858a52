"""Nearness: what vectors say of a question, as signals within 0..1 and as places that words did not find."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.store.vector_port import Likeness, Nearness, VectorHit

NEAREST = 20
"""Chunks that are candidates for being near, whatever words they have."""
FLOOR = 0.25
"""The cosine below which nothing is near enough to be an answer for that alone."""

Ask = Callable[[PinnedView, str], Likeness | None]
"""Compares a question with the vectors of a view; None where there is no model or nothing is embedded yet."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """The four signals of a file."""

    near: float
    near_file: float
    near_outline: float
    near_path: float


class Nearby:
    """The files of one view beside one question.

    Cosines of different questions do not compare, so each is put on the scale of its own question: the usual file of
    the view is 0 and the nearest candidate 1.
    """

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._middle = likeness.middle()

    def places(self, only: frozenset[int] | None = None) -> list[VectorHit]:
        """The chunks that may answer by their meaning alone."""
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
