"""Wording: which words of a text and a question count, and what each kind of source is worth."""

import re
from functools import lru_cache

from codecompass.text.stems import stems

_WORD = re.compile(r"[^\W_]\w*")
STOP = frozenset(
    (
        "a about after again all also am an and any are as at be because been before being between both but "
        "by can could did do does doing done for from get gets give given go goes had happen happened happens has "
        "have having here how i if in into is it its just know like made make makes many may me might more most much "
        "must my need needs never no nor not now of off on once one only or other our out over own please project "
        "repo repository codebase said same say says shall should show so some such tell than that the their them "
        "then there these they thing things this those through to too under until up us use used uses using very via "
        "want wants was way we were what when where whether which while who whose why will with without work works "
        "would you your answer decide decided decision reason rule recorded record currently still ever exist exists"
    ).split()
)
"""Words that say nothing about what is asked."""
PRIORS = {
    "recorded": 1.0, "adr": 1.0, "agent_file": 0.97, "revert": 0.97, "commit": 0.97, "document": 0.95, "triage": 0.95,
    "fix": 0.93, "comment": 0.88, "manifest": 0.85, "ci": 0.85,
}  # fmt: skip
STATES = {"active": 1.0, "superseded": 0.6, "closed": 0.5}


def words_of(text: str) -> list[str]:
    """The stems of a text, identifiers in parts."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.extend(_stems(word))
    return found


@lru_cache(maxsize=2**16)
def _stems(word: str) -> tuple[str, ...]:
    """A project says the same words again and again."""
    return () if word.lower() in STOP else tuple(stems(word))
