"""Static model: an embedder whose text vector is the weighted sum of the vectors of its pieces; fast on any CPU."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from codecompass.embed.embedder import Vectors, normalise
from codecompass.embed.text_pieces import PieceLookup
from codecompass.embed.weights_file import ModelWeights, read_weights


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
