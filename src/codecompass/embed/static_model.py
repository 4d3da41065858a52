"""Static model: an embedder whose text vector is the weighted sum of the vectors of its pieces; fast on any CPU.

Words are split as in the text index, and identifiers into their parts. A part in the vocabulary is one row of the
vector table; any other is the sum of its letter trigrams, hashed into buckets, so that an unseen name is near similar
names.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from zlib import crc32

import numpy as np

from codecompass.embed.embedder import Vectors, normalise
from codecompass.embed.weights_file import ModelWeights, read_weights
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


class StaticEmbedder:
    """Encodes with a table of vectors. Thread-safe: concurrent lookups of a word compute the same value."""

    def __init__(self, weights: ModelWeights) -> None:
        self._weights = weights
        self._pieces = PieceLookup(weights.vocabulary, weights.buckets)

    @property
    def name(self) -> str:
        """The display name of the model."""
        return self._weights.name

    @property
    def dimensions(self) -> int:
        """Components of a vector."""
        return int(self._weights.table.shape[1])

    @property
    def digest(self) -> str:
        """Identifies the weights."""
        return self._weights.digest

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text; zero if it has no known pieces."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        table, scales = self._weights.table, self._weights.scales
        for at, text in enumerate(texts):
            rows, weights = self._pieces.find_weighted_rows(text)
            if rows:
                chosen = np.array(rows, np.intp)
                vectors[at] = (scales[chosen] * np.array(weights, np.float32)) @ table[chosen].astype(np.float32)
        return normalise(vectors)


def open_static(path: Path, expected: str = "") -> StaticEmbedder:
    """Open the model of a weights file."""
    return StaticEmbedder(read_weights(path, expected))
