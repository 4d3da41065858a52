"""Ranking: a pure function of named features. Features lie in 0..1, the weights of an intent add up to 1,

    score = Σ weight[feature] · feature        (bm25 enters as bm25 / (bm25 + BM25_HALF))

so the score lies in 0..1 and every reported number is the one that ranked.
"""

from typing import NamedTuple

from codecompass.model.result import Reasons

BM25_HALF = 12.0
"""The BM25 score that counts half: a chunk with a few matching words reaches about this."""

WEIGHTS = {
    "symbol": {"exact": 0.46, "qualified": 0.14, "path": 0.08, "definition": 0.12, "kind": 0.05, "bm25": 0.15},
    "path": {"exact": 0.06, "qualified": 0.04, "path": 0.70, "definition": 0.02, "kind": 0.02, "bm25": 0.16},
    "error": {"exact": 0.10, "qualified": 0.05, "path": 0.08, "definition": 0.04, "kind": 0.03, "bm25": 0.70},
    "natural_language": {
        "exact": 0.16,
        "qualified": 0.14,
        "path": 0.18,
        "definition": 0.06,
        "kind": 0.04,
        "bm25": 0.42,
    },
}

KIND_PRIOR = {
    "class": 1.0, "struct": 1.0, "trait": 1.0, "interface": 1.0, "enum": 0.9, "fn": 0.9, "method": 0.8, "macro": 0.8,
    "type": 0.7, "mod": 0.6, "impl": 0.5, "const": 0.5, "property": 0.4, "field": 0.3, "var": 0.3, "use": 0.1,
}  # fmt: skip


class Features(NamedTuple):
    """What is known of one candidate, each in 0..1 but `bm25`, which is raw."""

    exact: float = 0.0
    qualified: float = 0.0
    path: float = 0.0
    definition: float = 0.0
    kind: float = 0.0
    bm25: float = 0.0


def score(features: Features, intent: str) -> float:
    """The score of a candidate, 0..1."""
    weights = WEIGHTS[intent]
    text = features.bm25 / (features.bm25 + BM25_HALF) if features.bm25 > 0 else 0.0
    total = (
        weights["exact"] * features.exact
        + weights["qualified"] * features.qualified
        + weights["path"] * features.path
        + weights["definition"] * features.definition
        + weights["kind"] * features.kind
        + weights["bm25"] * text
    )
    return min(max(total, 0.0), 1.0)


def reasons(features: Features, total: float) -> Reasons:
    """The numbers a score was made of, for those results that are shown."""
    return Reasons(
        exact_match_boost=round(features.exact, 4),
        qualified_name_boost=round(features.qualified, 4),
        path_affinity=round(features.path, 4),
        definition_boost=round(features.definition, 4),
        kind_match=round(features.kind, 4),
        bm25_score=round(features.bm25, 4),
        final_score=round(total, 4),
    )
