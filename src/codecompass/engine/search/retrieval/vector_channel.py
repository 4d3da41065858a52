"""Vector channel: similarity features in 0..1, and chunks that words did not find."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.store.vector_port import QuerySimilarity, Similarities, VectorHit

NEAREST_CHUNKS = 20
"""Number of nearest chunks that become candidates, whatever their words."""
ISSUE_NEAREST_CHUNKS = 60
"""The same for a pasted text, whose results are single places."""
MIN_COSINE = 0.25
"""Minimum cosine similarity of a chunk that matches by its vector alone."""

SimilarityLookup = Callable[[PinnedView, str], QuerySimilarity | None]
"""Compares a query with the vectors of a view; None if there is no model or nothing is embedded yet."""


@dataclass(frozen=True, slots=True)
class VectorFeatures:
    """The four similarity features of a file."""

    near: float
    near_file: float
    near_outline: float
    near_path: float


class VectorChannel:
    """Similarity of the files of one view to one query.

    Cosines of different queries are not comparable, so each is rescaled for its query: the median file of the view is
    0 and the nearest candidate 1.
    """

    def __init__(self, similarity: QuerySimilarity) -> None:
        self._likeness = similarity
        self._middle = similarity.median()
        self._highest_chunk = MIN_COSINE

    def nearest_chunks(self, only: frozenset[int] | None = None, count: int = NEAREST_CHUNKS) -> list[VectorHit]:
        """Return the nearest chunks above the minimum similarity."""
        found = [hit for hit in self._likeness.find_nearest(count, only) if hit.similarity >= MIN_COSINE]
        self._highest_chunk = max((hit.similarity for hit in found), default=MIN_COSINE)
        return found

    def rescale_chunk(self, similarity: float) -> float:
        """Similarity of one chunk, relative to the nearest."""
        return _rescale(similarity, MIN_COSINE, self._highest_chunk)

    def compute_features(self, paths: Iterable[str]) -> dict[str, VectorFeatures]:
        near = self._likeness.compare_files(paths)
        if not near:
            return {}
        middle, highest = self._middle, Similarities(*map(max, zip(*near.values(), strict=True)))
        return {
            path: VectorFeatures(
                _rescale(found.best, middle.best, highest.best),
                _rescale(found.whole, middle.whole, highest.whole),
                _rescale(found.outline, middle.outline, highest.outline),
                _rescale(found.path, middle.path, highest.path),
            )
            for path, found in near.items()
        }


def _rescale(value: float, middle: float, highest: float) -> float:
    return min(1.0, max(0.0, (value - middle) / (highest - middle))) if highest > middle else 0.0
