"""Embedder: the common interface of all embedding models."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Encodes texts as unit vectors; a text without known words is the zero vector, similar to nothing."""

    @property
    def name(self) -> str:
        """The display name of the model."""

    @property
    def dimensions(self) -> int:
        """Components of a vector."""

    @property
    def digest(self) -> str:
        """Identifies the weights: vectors with different digests are never compared."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, the same on every machine up to rounding."""


def normalise(vectors: Vectors) -> Vectors:
    """Scale vectors to length one; a zero vector remains zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled
