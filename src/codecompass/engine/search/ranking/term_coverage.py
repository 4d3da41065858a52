"""Term coverage: order candidates so that each query term is covered early."""

from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

COVERAGE_WEIGHT = 0.25
"""Bonus of a candidate whose name covers all query terms that no better candidate covers."""
T = TypeVar("T")


class CoverageCandidate(NamedTuple, Generic[T]):
    """One candidate: its score and the stems of its name."""

    score: float
    stems: frozenset[str]
    item: T


def order_by_coverage(
    choices: Iterable[CoverageCandidate[T]], shares: Mapping[str, float]
) -> list[CoverageCandidate[T]]:
    """Order greedily: the best first, then by score plus the weight of newly covered terms.

    `shares` holds the weight of each stem.
    """
    remaining = sorted(choices, key=lambda one: -one.score)
    missing = dict(shares)
    ordered: list[CoverageCandidate[T]] = []
    while remaining:
        gains = [one.score + COVERAGE_WEIGHT * sum(missing.get(word, 0.0) for word in one.stems) for one in remaining]
        best = remaining.pop(gains.index(max(gains)) if ordered else 0)
        ordered.append(best)
        for word in best.stems:
            missing.pop(word, None)
    return ordered
