"""Recency: demote what was said long ago by a commit, by its age alone. Pure.

A rule or a document stands in the tree that is asked for, so it has no age, however old its text. A commit tells what
was done at its day. The factor is small: it decides between results that are otherwise almost equal, and it is the
same before and after anything was checked.
"""

from codecompass.engine.memory.corpus import CorpusEntry
from codecompass.model.queries.results import ScoreFactor

MAX_PENALTY = 0.04
"""Maximum reduction of a score."""
HALF_LIFE_DAYS = 730.0
_DAY = 86_400.0


def compute_age_factor(entry: CorpusEntry, newest: float) -> ScoreFactor:
    """Return the score factor of an entry; its value is the age in days before the newest commit."""
    days = max(newest - entry.time, 0.0) / _DAY if entry.time else 0.0
    share = 1 - MAX_PENALTY * (1 - 0.5 ** (days / HALF_LIFE_DAYS))
    return ScoreFactor("age", round(days, 1), 1.0, round(share, 4))
