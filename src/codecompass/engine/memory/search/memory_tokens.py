"""Memory tokens: tokenize texts and queries, and weight sources."""

import re
from functools import lru_cache

from codecompass.text.stems import stem_parts

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
SOURCE_PRIORS = {
    "recorded": 1.0, "adr": 1.0, "agent_file": 0.97, "revert": 0.97, "commit": 0.97, "triage": 0.95, "fix": 0.93,
    "document": 0.9, "manifest": 0.85, "ci": 0.85, "comment": 0.77,
}  # fmt: skip
CHANGELOG_WEIGHT = 0.9
"""Weight of a changelog relative to other documents: it says what was done and seldom why."""
RATIONALE_WEIGHT = 1.1
"""Weight of a document whose name suggests reasons or rules, relative to other documents."""
_RATIONALE_PATH = re.compile(
    r"design|decision|rationale|philosoph|principle|faq|contribut|hacking|mainten|maintain|govern|policy|polici|convention"
    r"|style|security|compatib|architect|gotcha",
    re.IGNORECASE,
)
_CHANGELOG_PATH = re.compile(r"(?:^|/)[^/]*(?:change|history|release|news|upgrad|migrat)[^/]*$", re.IGNORECASE)
STATE_WEIGHTS = {"active": 1.0, "superseded": 0.6, "closed": 0.5}
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


def get_prior(kind: str, path: str) -> float:
    """Return the weight of a source independent of the query."""
    known = SOURCE_PRIORS.get(kind, 0.9)
    if kind != "document":
        return known
    return known * (
        CHANGELOG_WEIGHT if _CHANGELOG_PATH.search(path) else RATIONALE_WEIGHT if _RATIONALE_PATH.search(path) else 1.0
    )


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
