"""Ranking measures of an answer: NDCG, MRR, and recall within a token budget."""

import math
from collections.abc import Sequence
from typing import NamedTuple

DEPTH = 10
BUDGETS = (500, 1_000, 2_000)
BYTES_PER_TOKEN = 4
"""The usual rule of thumb; models differ."""


class ExpectedLocation(NamedTuple):
    """An expected location: a file, or some of its lines."""

    path: str
    start: int = 0
    end: int = 0
    """0: the whole file."""


class RankedLocation(NamedTuple):
    """The location of one result and its size in tokens."""

    path: str
    start: int
    end: int
    tokens: int = 0


class RankingMeasures(NamedTuple):
    """The measures of one answer, or the mean of several."""

    ndcg: float
    mrr: float
    recall: tuple[float, ...]
    """The share of targets within each of the token budgets."""


def matches_location(place: RankedLocation, target: ExpectedLocation) -> bool:
    """Whether a result overlaps a target: the same file and, if the target has lines, at least one of them."""
    same = place.path == target.path or place.path.endswith("/" + target.path) or target.path.endswith("/" + place.path)
    return same and (not target.end or (place.start <= target.end and place.end >= target.start))


def compute_measures(places: Sequence[RankedLocation], targets: Sequence[ExpectedLocation]) -> RankingMeasures:
    """Compute the measures. A target counts once, at its first result; a result counts once, whatever it covers."""
    ranks = [
        next((at for at, place in enumerate(places) if matches_location(place, target)), None) for target in targets
    ]
    gains = {rank for rank in ranks if rank is not None and rank < DEPTH}
    ideal = sum(_compute_gain(rank) for rank in range(min(DEPTH, len(targets))))
    found = [rank for rank in ranks if rank is not None]
    read, spent = [], 0
    for place in places:
        spent += place.tokens
        read.append(spent)
    within = [sum(read[rank] <= budget for rank in found) / max(len(targets), 1) for budget in BUDGETS]
    return RankingMeasures(
        ndcg=sum(map(_compute_gain, gains)) / ideal if ideal else 0.0,
        mrr=1 / (min(found) + 1) if found else 0.0,
        recall=tuple(within),
    )


def _compute_gain(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def average_measures(rows: Sequence[RankingMeasures]) -> RankingMeasures:
    """Return the mean of each measure."""
    count = max(len(rows), 1)
    recall = tuple(sum(row.recall[at] for row in rows) / count for at in range(len(BUDGETS)))
    return RankingMeasures(sum(row.ndcg for row in rows) / count, sum(row.mrr for row in rows) / count, recall)
