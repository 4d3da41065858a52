"""BM25: inverse document frequency and term scores; callers choose k1 and b for their own texts."""

import math
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", float, "NDArray[np.float32]")
"""One text, or an array of texts."""


def compute_bm25_idf(documents: int, holders: int) -> float:
    """Return the inverse document frequency of a term that `holders` of the documents contain; never below zero."""
    return math.log(1 + (max(documents - holders, 0) + 0.5) / (holders + 0.5))


def compute_length_norm(length: Number, average: float, k1: float, b: float) -> Number:
    """Return how fast the term counts of a text of this length saturate: at this count, half of the maximum."""
    return k1 * (1 - b + b * length / average)


def score_term(count: Number, norm: Number, weight: float = 1.0, maximum: float = 1.0) -> Number:
    """Return the score of a term, below `weight * maximum`. Usually the weight is its IDF and the maximum is k1 + 1."""
    return weight * count * maximum / (count + norm)
