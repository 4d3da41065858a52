"""Ranking: a pure function of named features. Features lie in 0..1, the weights of an intent add up to 1,

    score = Σ weight[feature] · feature        (bm25 enters as bm25 / (bm25 + BM25_HALF))

so the score lies in 0..1 and every reported number is the one that ranked. Located names use the weights of `symbol`,
with no text to match.
"""

from typing import NamedTuple

from codecompass.model.result import Factor, Reasons

BM25_HALF = 12.0
"""The BM25 score that counts half: a chunk with a few matching words reaches about this."""

FORMULA = (
    "final_score = sum of weight * value over the factors; the value of bm25_score enters as"
    f" bm25_score / (bm25_score + {BM25_HALF:g}); the weights are those of the query's intent and add up to 1"
)

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
    "table": 0.9, "section": 0.0, "key": 0.0, "rule": 0.0,
}  # fmt: skip

SECONDARY_SHARE = 0.75
"""How much of the match of its name counts for prose and configuration: less than any code of that name gets, more
than code that only begins with it."""


class Features(NamedTuple):
    """What is known of one candidate, each in 0..1 but `bm25`, which is raw."""

    exact: float = 0.0
    qualified: float = 0.0
    path: float = 0.0
    definition: float = 0.0
    kind: float = 0.0
    bm25: float = 0.0


_SAID = {
    "exact": "exact_match_boost", "qualified": "qualified_name_boost", "path": "path_affinity",
    "definition": "definition_boost", "kind": "kind_match", "bm25": "bm25_score",
}  # fmt: skip


def score(features: Features, intent: str) -> float:
    """The score of a candidate, 0..1."""
    weights = WEIGHTS[intent]
    text = _scaled(features.bm25)
    total = (
        weights["exact"] * features.exact
        + weights["qualified"] * features.qualified
        + weights["path"] * features.path
        + weights["definition"] * features.definition
        + weights["kind"] * features.kind
        + weights["bm25"] * text
    )
    return min(max(total, 0.0), 1.0)


def _scaled(bm25: float) -> float:
    return bm25 / (bm25 + BM25_HALF) if bm25 > 0 else 0.0


def factors(features: Features, intent: str) -> tuple[Factor, ...]:
    """Each feature with its weight and its share of the score, under the names that reasons have."""
    shares = features._replace(bm25=_scaled(features.bm25))
    return tuple(
        Factor(_SAID[name], value, WEIGHTS[intent][name], WEIGHTS[intent][name] * share)
        for name, value, share in zip(Features._fields, features, shares, strict=True)
    )


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
