"""Term coverage: order candidates so that each query term is covered early."""

from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

NEW_WORDS = 0.25
"""Bonus of a candidate whose name covers all query terms that no better candidate covers."""
T = TypeVar("T")


class Choice(NamedTuple, Generic[T]):
    """One candidate: its score and the stems of its name."""

    worth: float
    stems: frozenset[str]
    item: T


def spread(choices: Iterable[Choice[T]], shares: Mapping[str, float]) -> list[Choice[T]]:
    """Order greedily: the best first, then by score plus the weight of newly covered terms.

    `shares` holds the weight of each stem.
    """
    remaining = sorted(choices, key=lambda one: -one.worth)
    missing = dict(shares)
    ordered: list[Choice[T]] = []
    while remaining:
        gains = [one.worth + NEW_WORDS * sum(missing.get(word, 0.0) for word in one.stems) for one in remaining]
        best = remaining.pop(gains.index(max(gains)) if ordered else 0)
        ordered.append(best)
        for word in best.stems:
            missing.pop(word, None)
    return ordered
