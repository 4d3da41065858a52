"""Text pieces: the tokenizer of the static model, which maps a text to rows of the vector table.

Words are split as in the text index, and identifiers into their parts. A part in the vocabulary is one row; any other
is the sum of its letter trigrams, hashed into buckets, so that an unseen name is near similar names.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import sqrt
from zlib import crc32

from codecompass.text.tokens import MAX_WORD, split_identifier

LONGEST_PART = 24
"""Maximum letters of a part to use."""
_MEMO_LIMIT = 200_000
_BLANKED = bytes(byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(128)) + b" " * 128


def split_parts(word: str) -> list[str]:
    """Return the parts of a word, without single letters and numbers."""
    if len(word) > MAX_WORD:
        return []
    return [part[:LONGEST_PART] for part in split_identifier(word) if len(part) > 1 and not part.isdigit()]


def hash_trigrams(part: str, buckets: int) -> list[int]:
    """Return the buckets of a part's letter trigrams, with its ends marked."""
    marked = f"<{part}>"
    return [crc32(marked[at : at + 3].encode()) % buckets for at in range(len(marked) - 2)]


def split_words(text: str) -> list[str]:
    """Return every word of a text, in order; non-ASCII characters separate words."""
    return text.encode("ascii", "replace").translate(_BLANKED).decode("ascii").split()


class PieceLookup(dict[str, tuple[int, ...]]):
    """Word → its rows, memoized, because a repository repeats the same identifiers."""

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
        for part in split_parts(word):
            row = self._rows.get(part)
            if row is not None:
                yield row
            else:
                yield from (len(self._rows) + gram for gram in hash_trigrams(part, self._buckets))

    def find_weighted_rows(self, text: str) -> tuple[list[int], list[float]]:
        """Return the rows of a text and their weights; a word's weight is the square root of its count."""
        rows: list[int] = []
        weights: list[float] = []
        for word, count in Counter(split_words(text)).items():
            found = self[word]
            rows += found
            weights += [sqrt(count)] * len(found)
        return rows, weights
