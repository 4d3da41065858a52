"""Confidence: how likely a text answers a question, from what it shares with it. Pure.

A logistic model of a few signs. Its weights were fitted on the development half of the questions of `bench/memory`; the
curve of the other half is in `docs/building/memory-bench.md`.
"""

import math
from typing import NamedTuple

CONFIDENT = 0.3
"""Below this confidence of the first result nothing is recorded, and the nearest texts are named apart."""
_WEIGHTS = (-4.41, 1.12, 0.89, 1.47, 1.59, -0.5)
"""Weights: constant, share of the question covered, meaning, first result, passed thresholds, missing numbers."""
_SINGLE_TERM_CAP = 0.35
"""Confidence at most if the question comes down to one word."""


class MatchSigns(NamedTuple):
    """What a text shares with a question."""

    coverage: float
    cosine: float
    is_first: bool
    passed: bool
    """Whether it passed the thresholds of the ranking."""
    terms: int
    missing_numbers: int


def estimate_confidence(signs: MatchSigns) -> float:
    """Return the probability that a text answers the question."""
    missing = float(min(signs.missing_numbers, 2))
    values = (1.0, signs.coverage, signs.cosine, float(signs.is_first), float(signs.passed), missing)
    total = sum(weight * value for weight, value in zip(_WEIGHTS, values, strict=True))
    found = 1 / (1 + math.exp(-total))
    if signs.terms <= 1:
        found = min(found, _SINGLE_TERM_CAP)
    return round(found, 3)
