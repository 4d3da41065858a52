"""Memory tokens: tokenize texts and queries, and reduce stems to a common form."""

import re
from functools import lru_cache

from codecompass.text.tokens import stem_parts

_WORD = re.compile(r"[^\W_]\w*")
STOP_WORDS = frozenset(
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
"""Words that do not help to find an answer."""
_MIN_DOUBLED_LENGTH = 4
_DERIVATIONAL_SUFFIXES = (
    ("at", 5),
    ("ement", 4),
    ("ment", 4),
    ("ion", 4),
    ("ity", 4),
    ("iv", 4),
    ("abl", 4),
    ("ibl", 4),
    ("anc", 4),
    ("enc", 4),
    ("ic", 5),
    ("er", 4),
    ("or", 4),
)
"""Derivational suffixes of stems, and how many letters must remain without them."""


def tokenize(text: str) -> list[str]:
    """Tokenize a text into stems; identifiers are split into parts."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.extend(_stems(word))
    return found


@lru_cache(maxsize=2**16)
def _stems(word: str) -> tuple[str, ...]:
    """Stem one word; cached, because words repeat."""
    return () if word.lower() in STOP_WORDS else tuple(stem_parts(word))


@lru_cache(maxsize=2**16)
def stem_family(stem: str) -> str:
    """Return the common form of related stems: `redirect` and `redirection`, `register` and `registered`."""
    for _ in range(2):
        for ending, least in _DERIVATIONAL_SUFFIXES:
            if stem.endswith(ending) and len(stem) - len(ending) >= least:
                stem = stem[: -len(ending)]
                break
        else:
            break
    if len(stem) > _MIN_DOUBLED_LENGTH and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return stem
