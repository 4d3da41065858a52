"""Truth's age: for how long what a discovery says has been untrue, or could not be told to be true. Pure.

What was checked and holds is as old as the check, however long ago it was written. What no longer holds loses by how
long ago it ended; what names nothing that can be checked loses by how long ago it was said. When somebody last looked
at it does not count. The term is small: it decides between hits that are otherwise almost equal.
"""

from collections.abc import Sequence
from datetime import datetime

from codecompass.model.memory_values import Discovery, Verdict
from codecompass.model.queries.results import Factor

MOST = 0.04
"""The most that age takes off a score."""
HALF_LIFE_DAYS = 730.0
_DAY = 86_400.0


def aged(item: Discovery, freshness: str, verdicts: Sequence[Verdict], newest: float) -> Factor:
    """The factor of one hit: its value is days, counted back from the newest moment that the project knows."""
    if freshness == "fresh":
        since = newest
    elif freshness == "unverifiable":
        since = _moment(item.date)
    else:
        ended = [_moment(one.date) for one in verdicts if one.status in ("changed", "gone") and one.date]
        since = min(ended, default=newest)
    days = max(newest - since, 0.0) / _DAY if since else 0.0
    share = 1 - MOST * (1 - 0.5 ** (days / HALF_LIFE_DAYS))
    return Factor("age", round(days, 1), 1.0, round(share, 4))


def _moment(date: str) -> float:
    """Seconds of an ISO date; 0 where there is none."""
    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        return 0.0
