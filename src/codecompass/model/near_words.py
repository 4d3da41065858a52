"""Near words: the known words that are spelled most like a given one, for suggestions after a typo."""

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 100
"""Longer words are not compared: the time grows with their length, and nobody types them."""
_CUTOFF = 0.7


def find_near_words(given: str, words: Iterable[str], limit: int = 3) -> list[str]:
    """Return the words most like the given one, best first; upper and lower case count as equal."""
    folded: dict[str, str] = {}
    for word in words:
        if len(word) <= _LONGEST:
            known = folded.get(word.casefold())
            # Of spellings that differ in case the one that looks most like the given word is meant.
            if known is None or _count_equal(given, word) > _count_equal(given, known):
                folded[word.casefold()] = word
    if not given or len(given) > _LONGEST:
        return []
    return [folded[one] for one in get_close_matches(given.casefold(), folded, limit, _CUTOFF)]


def _count_equal(one: str, other: str) -> int:
    return sum(map(str.__eq__, one, other))


def describe_typo(given: str, words: Iterable[str]) -> dict[str, object]:
    """Return the details of a Failure about an unknown word: the word and those it may have been; empty if none."""
    near = find_near_words(given, words)
    return {"given": given[:_LONGEST], "near": near} if near else {}
