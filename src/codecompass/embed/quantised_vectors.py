"""Quantised vectors: one signed byte per component and one scale per vector, in a quarter of the space."""

import numpy as np
from numpy.typing import NDArray

from codecompass.embed.embedder import Vectors

LEVELS = 127.0


def quantise(vectors: Vectors) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows of signed bytes and the scale of each row; a zero vector has the scale 0."""
    scales = np.abs(vectors).max(axis=1, initial=0.0) / LEVELS
    steps = np.divide(vectors, scales[:, None], out=np.zeros_like(vectors), where=scales[:, None] > 0)
    return np.rint(steps).astype(np.int8), scales.astype(np.float32)


def quantise_to_bytes(vectors: Vectors) -> tuple[bytes, bytes]:
    """Quantise and return raw bytes: the rows, and their scales as 32-bit floats."""
    rows, scales = quantise(vectors)
    return rows.tobytes(), scales.astype("<f4").tobytes()
