"""Recency: demote discoveries by how long they have been untrue or unverifiable. Pure.

A discovery that was checked and holds is not demoted, however old it is. One that no longer holds is demoted by the
time since it was broken; one that cannot be checked, by the time since it was written. When it was last viewed does
not count. The factor is small: it decides between hits that are otherwise almost equal.
"""

from collections.abc import Sequence
from datetime import datetime

from codecompass.model.memory_values import ClaimCheck, Discovery
from codecompass.model.queries.results import ScoreFactor
from codecompass.model.states import DiscoveryFreshness

MAX_PENALTY = 0.04
"""Maximum reduction of a score."""
HALF_LIFE_DAYS = 730.0
_DAY = 86_400.0


def staleness_penalty(
    item: Discovery, freshness: DiscoveryFreshness, verdicts: Sequence[ClaimCheck], newest: float
) -> ScoreFactor:
    """Return the score factor of one hit; its value is the age in days before the newest commit."""
    if freshness == "fresh":
        since = newest
    elif freshness == "unverifiable":
        since = _parse_timestamp(item.date)
    else:
        ended = [_parse_timestamp(one.date) for one in verdicts if one.status in ("changed", "gone") and one.date]
        since = min(ended, default=newest)
    days = max(newest - since, 0.0) / _DAY if since else 0.0
    share = 1 - MAX_PENALTY * (1 - 0.5 ** (days / HALF_LIFE_DAYS))
    return ScoreFactor("age", round(days, 1), 1.0, round(share, 4))


def _parse_timestamp(date: str) -> float:
    """Parse an ISO date into seconds; 0 if it is empty or invalid."""
    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        return 0.0
