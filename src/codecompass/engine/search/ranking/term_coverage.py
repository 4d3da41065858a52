"""Spread: an order of places in which each word of a question is answered early, not one word many times."""

from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

NEW_WORDS = 0.25
"""What a name adds to its place when it says all the words that no better place says."""
T = TypeVar("T")


class Choice(NamedTuple, Generic[T]):
    """One place: how well it matches, and the stems of its name."""

    worth: float
    stems: frozenset[str]
    item: T


def spread(choices: Iterable[Choice[T]], shares: Mapping[str, float]) -> list[Choice[T]]:
    """The best first, then those that add most: words of the question that are new count besides.

    `shares` says what each stem weighs.
    """
    waiting = sorted(choices, key=lambda one: -one.worth)
    missing = dict(shares)
    ordered: list[Choice[T]] = []
    while waiting:
        gains = [one.worth + NEW_WORDS * sum(missing.get(word, 0.0) for word in one.stems) for one in waiting]
        best = waiting.pop(gains.index(max(gains)) if ordered else 0)
        ordered.append(best)
        for word in best.stems:
            missing.pop(word, None)
    return ordered
