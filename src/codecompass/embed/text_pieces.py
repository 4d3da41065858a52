"""Pieces: how a text becomes rows of the table of vectors.

Words are cut like those of the text index, identifiers into their parts. A part of the vocabulary is one row; any other
is the sum of its runs of three letters, hashed into buckets, so that a name nobody has seen is near names like it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import sqrt
from zlib import crc32

from codecompass.text.tokens import MAX_WORD, split_identifier

LONGEST_PART = 24
"""Letters of a part that are looked at."""
_MEMO_LIMIT = 200_000
_BLANKED = bytes(byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(128)) + b" " * 128


def parts_of(word: str) -> list[str]:
    """The parts of a word that carry meaning: no single letters, no numbers."""
    if len(word) > MAX_WORD:
        return []
    return [part[:LONGEST_PART] for part in split_identifier(word) if len(part) > 1 and not part.isdigit()]


def grams_of(part: str, buckets: int) -> list[int]:
    """The buckets of a part's runs of three letters, its two ends marked."""
    marked = f"<{part}>"
    return [crc32(marked[at : at + 3].encode()) % buckets for at in range(len(marked) - 2)]


def words_of(text: str) -> list[str]:
    """Every word of a text, in order; what is not ASCII separates words."""
    return text.encode("ascii", "replace").translate(_BLANKED).decode("ascii").split()


class Pieces(dict[str, tuple[int, ...]]):
    """Word → its rows, remembered: a repository repeats the same identifiers endlessly."""

    def __init__(self, vocabulary: Iterable[str], buckets: int) -> None:
        super().__init__()
        self._rows = {part: row for row, part in enumerate(vocabulary)}
        self._buckets = buckets

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        known = self[word] = tuple(self._find(word))
        return known

    def _find(self, word: str) -> Iterator[int]:
        for part in parts_of(word):
            row = self._rows.get(part)
            if row is not None:
                yield row
            else:
                yield from (len(self._rows) + gram for gram in grams_of(part, self._buckets))

    def weigh(self, text: str) -> tuple[list[int], list[float]]:
        """The rows of a text and how much each counts: a word said four times counts twice."""
        rows: list[int] = []
        weights: list[float] = []
        for word, count in Counter(words_of(text)).items():
            found = self[word]
            rows += found
            weights += [sqrt(count)] * len(found)
        return rows, weights
