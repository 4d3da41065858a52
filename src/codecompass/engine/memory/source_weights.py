"""Source weights: how much a discovery counts by its source and its state, independent of the query."""

import re

from codecompass.model.states import DiscoveryState, HitSourceKind

SOURCE_PRIORS: dict[HitSourceKind, float] = {
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
STATE_WEIGHTS: dict[DiscoveryState, float] = {"active": 1.0, "superseded": 0.6, "closed": 0.5}


def get_prior(kind: HitSourceKind, path: str) -> float:
    """Return the weight of a source independent of the query."""
    known = SOURCE_PRIORS.get(kind, 0.9)
    if kind != "document":
        return known
    return known * (
        CHANGELOG_WEIGHT if _CHANGELOG_PATH.search(path) else RATIONALE_WEIGHT if _RATIONALE_PATH.search(path) else 1.0
    )
