"""Scorer: a pure function from named raw features to a score.

Raw features lie in 0..1. Each intent blends them into seven features, whose weights add up to 1:

    score = Σ weight[feature] · feature        (bm25 enters as bm25 / (bm25 + BM25_HALF))

So the score lies in 0..1, and the reported numbers are those that ranked. Symbol lookup uses the weights of `symbol`
without a text feature.
"""

from operator import mul
from typing import NamedTuple

from codecompass.model.queries.results import Reasons, ScoreFactor
from codecompass.model.states import RANKING_TABLES, RankingTable

BM25_HALF = 12.0
"""The BM25 score that saturates to 0.5."""
BM25_UNIT = 6.0
"""Total IDF to which BM25 scores are normalized; otherwise long queries would weigh more."""
VERBATIM_BONUS = 120.0
"""Added to the BM25 score of a chunk that holds the query verbatim."""
RERANK_TOP_REFERENCES = 16
"""Number of top files whose references are counted for the final ranking."""
RERANK_TOP_NAMES = 64
"""Number of top files by path, role and text whose names are compared; files with a name match are added."""
SECOND_CHUNK_WEIGHT = 0.15
"""Weight of the next best chunk of a file, added to its best."""
REPEAT_FILE_WEIGHT = 0.25
"""Weight of further candidates of a file, so that results come from different files first."""
REPEAT_WEIGHTS: dict[str, float] = {"issue": 0.9}
"""The same by table; a pasted text asks for places, not for files."""

FORMULA = (
    "final_score = sum of weight * value over the factors; the value of bm25_score enters as"
    f" bm25_score / (bm25_score + {BM25_HALF:g}); the weights are those of the query's intent and add up to 1;"
    " a factor with parts is the sum of weight * value over them"
)


class RawFeatures(NamedTuple):
    """Raw features of one candidate and its file, each in 0..1 except `text`, which is BM25."""

    name: float = 0.0
    """Match of its own name with the query's words."""
    defines: float = 0.0
    """The file defines a name of the query."""
    qualified: float = 0.0
    """Match of its qualified name with the query's words."""
    names: float = 0.0
    """BM25 of all names the file defines."""
    fragment: float = 0.0
    """The query is the path or a part of it."""
    path: float = 0.0
    """BM25 of the path's words, relative to the best path of the view."""
    path_cover: float = 0.0
    """IDF share of the query that the path covers."""
    stem_share: float = 0.0
    """Share of the file name's stems that are in the query."""
    definition: float = 0.0
    """It is a definition."""
    referred: float = 0.0
    """How many other files mention the names of this file; 0 for files below the reranked top."""
    size: float = 0.0
    """Number of lines of the file, on a log scale."""
    kind: float = 0.0
    """Prior of the definition's kind."""
    role: float = 0.0
    """Prior of the file's role: ordinary source before tests, documentation and vendored code."""
    near: float = 0.0
    """Similarity of the file's nearest chunk, relative to the nearest candidate."""
    near_file: float = 0.0
    """Similarity of the whole text."""
    near_outline: float = 0.0
    """Similarity of its path and the names it defines."""
    near_path: float = 0.0
    """Similarity of its path."""
    place: float = 0.0
    """A frame, an error text or a name of an issue means this definition."""
    mentioned: float = 0.0
    """A path, a module or a frame of an issue means this file."""
    near_chunk: float = 0.0
    """Similarity of its own chunk, relative to the nearest chunk."""
    text: float = 0.0
    """BM25 of its lines."""


class CandidateFeatures(NamedTuple):
    """Raw features that differ between the candidates of one file, named as in `RawFeatures`."""

    name: float = 0.0
    qualified: float = 0.0
    fragment: float = 0.0
    definition: float = 0.0
    kind: float = 0.0
    place: float = 0.0
    near_chunk: float = 0.0
    text: float = 0.0


class Features(NamedTuple):
    """The documented features of one candidate, each in 0..1 except `bm25`, which is raw."""

    exact: float = 0.0
    qualified: float = 0.0
    path: float = 0.0
    definition: float = 0.0
    kind: float = 0.0
    semantic: float = 0.0
    bm25: float = 0.0


WEIGHTS = {
    "symbol": {
        "exact": 0.27, "qualified": 0.02, "path": 0.20, "definition": 0.18, "kind": 0.17, "semantic": 0.14,
        "bm25": 0.02,
    },
    "path": {
        "exact": 0.06, "qualified": 0.04, "path": 0.70, "definition": 0.02, "kind": 0.02, "semantic": 0.0, "bm25": 0.16,
    },
    "error": {
        "exact": 0.10, "qualified": 0.05, "path": 0.08, "definition": 0.04, "kind": 0.03, "semantic": 0.0, "bm25": 0.70,
    },
    "natural_language": {
        "exact": 0.05, "qualified": 0.07, "path": 0.15, "definition": 0.14, "kind": 0.13, "semantic": 0.14,
        "bm25": 0.32,
    },
    "issue": {
        "exact": 0.06, "qualified": 0.24, "path": 0.13, "definition": 0.06, "kind": 0.1, "semantic": 0.07,
        "bm25": 0.34,
    },
}  # fmt: skip
"""Weight of each feature, by intent; a pasted text has a table of its own."""

BLENDS: dict[str, dict[str, dict[str, float]]] = {
    "symbol": {
        "exact": {"name": 0.81, "defines": 0.19},
        "qualified": {"qualified": 1.0},
        "path": {"path": 0.3, "path_cover": 0.35, "stem_share": 0.35},
        "definition": {"definition": 0.11, "referred": 0.22, "size": 0.67},
        "kind": {"kind": 0.12, "role": 0.88},
        "semantic": {"near": 0.57, "near_file": 0.14, "near_outline": 0.29},
    },
    "path": {
        "exact": {"name": 1.0},
        "qualified": {"qualified": 1.0},
        "path": {"fragment": 1.0},
        "definition": {"definition": 1.0},
        "kind": {"kind": 1.0},
        "semantic": {},
    },
    "error": {
        "exact": {"name": 1.0},
        "qualified": {"qualified": 1.0},
        "path": {"fragment": 1.0},
        "definition": {"definition": 1.0},
        "kind": {"kind": 0.5, "role": 0.5},
        "semantic": {},
    },
    "natural_language": {
        "exact": {"name": 0.4, "defines": 0.6},
        "qualified": {"names": 1.0},
        "path": {"path": 0.07, "path_cover": 0.66, "stem_share": 0.27},
        "definition": {"definition": 0.06, "referred": 0.29, "size": 0.65},
        "kind": {"role": 1.0},
        "semantic": {"near": 0.38, "near_file": 0.39, "near_path": 0.23},
    },
    "issue": {
        "exact": {"name": 0.57, "defines": 0.43},
        "qualified": {"place": 1.0},
        "path": {"mentioned": 0.4, "path_cover": 0.33, "stem_share": 0.27},
        "definition": {"definition": 0.7, "size": 0.3},
        "kind": {"role": 1.0},
        "semantic": {"near_chunk": 0.5, "near": 0.12, "near_file": 0.26, "near_path": 0.12},
    },
}
"""Raw features that make up each feature, by intent; the shares of one feature add up to 1."""

KIND_PRIOR = {
    "class": 1.0, "struct": 1.0, "trait": 1.0, "interface": 1.0, "enum": 0.9, "fn": 0.9, "method": 0.8, "macro": 0.8,
    "type": 0.7, "mod": 0.6, "impl": 0.5, "const": 0.5, "property": 0.4, "field": 0.3, "var": 0.3, "use": 0.1,
    "table": 0.9, "section": 0.0, "key": 0.0, "rule": 0.0,
}  # fmt: skip

SECONDARY_SHARE = 0.75
"""Share of the name feature for headings and configuration keys: below code of that name, above code that only begins
with it."""

REASON_NAMES = {
    "exact": "exact_match_boost", "qualified": "qualified_name_boost", "path": "path_affinity",
    "definition": "definition_boost", "kind": "kind_match", "semantic": "semantic_score", "bm25": "bm25_score",
}  # fmt: skip


def blend(signals: RawFeatures, intent: RankingTable) -> Features:
    """Blend raw features into the documented features."""
    known = signals._asdict()
    blended = {
        feature: sum(share * known[name] for name, share in parts.items()) for feature, parts in BLENDS[intent].items()
    }
    return Features(**blended, bm25=signals.text)


def _compute_linear_weights(intent: RankingTable) -> RawFeatures:
    """Compute the total weight of each raw feature in the score."""
    weights = WEIGHTS[intent]
    known = dict.fromkeys(RawFeatures._fields, 0.0)
    for feature, parts in BLENDS[intent].items():
        for name, share in parts.items():
            known[name] += weights[feature] * share
    return RawFeatures(**known)._replace(text=weights["bm25"])


LINEAR_WEIGHTS: dict[str, RawFeatures] = {intent: _compute_linear_weights(intent) for intent in RANKING_TABLES}


def uses_feature(signal: str, intent: RankingTable) -> bool:
    """Whether an intent uses a raw feature."""
    return any(signal in parts for parts in BLENDS[intent].values())


def score_file(signals: RawFeatures, intent: RankingTable) -> float:
    """Score the features of a file, which all its candidates share; they include no text."""
    return float(sum(map(mul, LINEAR_WEIGHTS[intent], signals)))


def score_candidate(spot: CandidateFeatures, intent: RankingTable, share: float = 1.0) -> float:
    """Score the candidate's own features; added to `score_file` it gives `score` of the blend."""
    weights = LINEAR_WEIGHTS[intent]
    return share * (
        weights.name * spot.name
        + weights.qualified * spot.qualified
        + weights.fragment * spot.fragment
        + weights.definition * spot.definition
        + weights.kind * spot.kind
        + weights.place * spot.place
        + weights.near_chunk * spot.near_chunk
    ) + weights.text * _saturate_bm25(share * spot.text)


def scale(features: Features, share: float) -> Features:
    """Multiply every feature by `share`."""
    return Features(*(value * share for value in features))


def score(features: Features, intent: RankingTable) -> float:
    """The score of a candidate, 0..1."""
    weights = WEIGHTS[intent]
    text = _saturate_bm25(features.bm25)
    total = (
        weights["exact"] * features.exact
        + weights["qualified"] * features.qualified
        + weights["path"] * features.path
        + weights["definition"] * features.definition
        + weights["kind"] * features.kind
        + weights["semantic"] * features.semantic
        + weights["bm25"] * text
    )
    return min(max(total, 0.0), 1.0)


def _saturate_bm25(bm25: float) -> float:
    return bm25 / (bm25 + BM25_HALF) if bm25 > 0 else 0.0


def list_factors(signals: RawFeatures, intent: RankingTable, share: float = 1.0) -> tuple[ScoreFactor, ...]:
    """List each feature with its weight, its contribution and its parts, under the names used in reasons."""
    features = scale(blend(signals, intent), share)
    entered = features._replace(bm25=_saturate_bm25(features.bm25))
    known = signals._asdict()

    def parts(feature: str) -> tuple[ScoreFactor, ...]:
        weights = {name: part * share for name, part in BLENDS[intent].get(feature, {}).items()}
        return tuple(ScoreFactor(name, known[name], weight, weight * known[name]) for name, weight in weights.items())

    return tuple(
        ScoreFactor(REASON_NAMES[name], value, WEIGHTS[intent][name], WEIGHTS[intent][name] * saturated, parts(name))
        for name, value, saturated in zip(Features._fields, features, entered, strict=True)
    )


def to_reasons(features: Features, total: float) -> Reasons:
    """Convert features and score to the rounded reasons of a result."""
    return Reasons(
        exact_match_boost=round(features.exact, 4),
        qualified_name_boost=round(features.qualified, 4),
        path_affinity=round(features.path, 4),
        definition_boost=round(features.definition, 4),
        kind_match=round(features.kind, 4),
        semantic_score=round(features.semantic, 4),
        bm25_score=round(features.bm25, 4),
        final_score=round(total, 4),
    )
