"""Matching lines: which lines of a hit hold the words of a query, and where."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_FILTER = re.compile(r"(?<!\S)-?[A-Za-z_]+:(?:\"[^\"]*\"|/(?:[^/\\]|\\.)*/|\S*)")
_EXCLUDED = re.compile(r"(?<!\S)(?:-\S+|NOT\s+\S+)")
_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_ENDINGS = ("ing", "ed", "es", "s")
STOP_WORDS = frozenset("a an and are as at be by do does for from how i in is it of on or the this to was what when "
                       "where which who why with not".split())  # fmt: skip
MIN_PART = 3


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words of a query as one pattern."""

    words: tuple[str, ...]
    pattern: re.Pattern[str] | None

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the ranges of a text that match, in order."""
        return [match.span() for match in self.pattern.finditer(text)] if self.pattern else []

    def count(self, text: str) -> int:
        """Return how many different words of the query a text holds."""
        if self.pattern is None:
            return 0
        return len({match.lastindex for match in self.pattern.finditer(text)})


def parse_words(query: str) -> QueryWords:
    """Read the words of a query: no filters, no operators, nothing excluded; compound names also by their parts."""
    text = _EXCLUDED.sub(" ", _FILTER.sub(" ", query))
    words = [word for word in _WORD.findall(text) if word not in ("AND", "OR", "NOT")]
    wanted = [word for word in words if word.casefold() not in STOP_WORDS] or words
    stems: dict[str, None] = {}
    for word in wanted:
        stems.setdefault(_stem(word.casefold()))
        for part in _PART.findall(word):
            if len(part) >= MIN_PART and part != word:
                stems.setdefault(_stem(part.casefold()))
    ordered = sorted(stems, key=len, reverse=True)[:24]
    alternatives = "|".join(f"({re.escape(stem)})(?:{'|'.join(_ENDINGS)})?" for stem in ordered)
    pattern = re.compile(alternatives, re.IGNORECASE) if ordered else None
    return QueryWords(tuple(wanted), pattern)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_PART:
            return word[: -len(ending)]
    return word


def choose_lines(lines: Sequence[str], words: QueryWords, most: int, keep: Iterable[int] = ()) -> list[int]:
    """Choose the lines that say most of the query, in order; those of `keep` are among them if nothing is better."""
    scored = sorted((-words.count(line), number) for number, line in enumerate(lines) if line.strip())
    chosen = [number for score, number in scored if score < 0][:most]
    for number in keep:
        if number not in chosen and len(chosen) < most and number < len(lines):
            chosen.append(number)
    return sorted(chosen)
