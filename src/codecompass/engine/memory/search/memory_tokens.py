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
    "recorded": 1.0, "adr": 1.0, "agent_file": 0.97, "revert": 0.97, "commit": 0.97, "triage": 0.95, "fix": 0.93,
    "document": 0.9, "manifest": 0.85, "ci": 0.85, "comment": 0.77,
}  # fmt: skip
CHRONICLE = 0.9
"""What a list of changes is worth beside other documents: it says what was done and seldom why."""
REASONED = 1.1
"""What a document is worth beside others whose name says that it gives reasons or rules."""
_REASONED = re.compile(
    r"design|decision|rationale|philosoph|principle|faq|contribut|hacking|mainten|maintain|govern|policy|polici|convention"
    r"|style|security|compatib|architect|gotcha",
    re.IGNORECASE,
)
_CHRONICLE = re.compile(r"(?:^|/)[^/]*(?:change|history|release|news|upgrad|migrat)[^/]*$", re.IGNORECASE)
STATES = {"active": 1.0, "superseded": 0.6, "closed": 0.5}
_DOUBLED = 4
_DERIVED = (("at", 5), ("ement", 4), ("ment", 4), ("ion", 4), ("ity", 4), ("iv", 4), ("abl", 4), ("ibl", 4), ("anc", 4),
            ("enc", 4), ("ic", 5), ("er", 4), ("or", 4))  # fmt: skip
"""Endings of stems that make another word of the same root, and how many letters must be left."""


def prior_of(kind: str, path: str) -> float:
    """What a source is worth before anything is asked."""
    known = PRIORS.get(kind, 0.9)
    if kind != "document":
        return known
    return known * (CHRONICLE if _CHRONICLE.search(path) else REASONED if _REASONED.search(path) else 1.0)


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


@lru_cache(maxsize=2**16)
def root(stem: str) -> str:
    """What stems of one family share: `redirect` and `redirection`, `register` and `registered`."""
    for _ in range(2):
        for ending, least in _DERIVED:
            if stem.endswith(ending) and len(stem) - len(ending) >= least:
                stem = stem[: -len(ending)]
                break
        else:
            break
    if len(stem) > _DOUBLED and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return stem
