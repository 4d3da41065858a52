"""What everything that makes vectors has in common."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Texts to vectors of length one; a text with nothing known in it is the zero vector, similar to nothing."""

    @property
    def name(self) -> str:
        """What a person calls the model."""

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""

    @property
    def digest(self) -> str:
        """Names the weights: vectors of two digests are never compared."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, the same on every machine up to rounding."""


def unit(vectors: Vectors) -> Vectors:
    """The same directions with length one; a zero vector stays as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled
