"""Feature extraction: raw features of candidates; features of a file are computed once for all its candidates."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from codecompass.engine.search.filters.candidates import Candidate
from codecompass.engine.search.paths.name_features import defines_query_name, name_bm25, score_size
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.paths.path_roles import get_role_weight
from codecompass.engine.search.query.query_terms import LONG_QUERY_WORDS, QueryTerms, TermWeights
from codecompass.engine.search.ranking.scorer import (
    BM25_UNIT,
    KIND_PRIOR,
    SECOND_CHUNK_WEIGHT,
    SECONDARY_SHARE,
    VERBATIM_BONUS,
    CandidateFeatures,
    RawFeatures,
    score_candidate,
    score_file,
    uses_feature,
)
from codecompass.engine.search.retrieval.issue_evidence import IssueEvidence
from codecompass.engine.search.retrieval.vector_channel import VectorChannel, VectorFeatures
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import DefinitionHeader, DefinitionHeaders
from codecompass.model.code.kinds import CALLABLE, SECONDARY
from codecompass.model.states import RankingTable
from codecompass.text.tokens import distinct_stems, split_identifier

CASE_MISMATCH_SCORE = 0.6
"""Name feature of a name that differs only in case; an exact match has 1."""
PARTS_MATCH_SCORE = 0.55
"""Name feature of a name that consists of exactly the query's words, in any order."""
_NAME_COVER_GAIN = 4.0
"""How soon the parts of a name count as all of an issue, which has many words."""
INSIDE_FILE_SHARE = 0.6
"""Share of the path feature that counts for candidates inside the file when the query is a path."""


@dataclass
class FeatureExtractor:
    """Extracts the features of all candidates of one query on one view."""

    view: PinnedView
    paths: PathIndex
    question: QueryTerms
    weights: TermWeights
    intent: RankingTable
    vectors: VectorChannel | None = None
    evidence: IssueEvidence | None = None
    """What a pasted text speaks for; None for questions and words."""
    _similarities: dict[str, VectorFeatures] = field(default_factory=dict)
    _stems: frozenset[str] = frozenset()
    _role_stems: frozenset[str] = frozenset()
    """Stems that may ask for tests or documents: those of the title, where there is one."""
    _lowercase_words: frozenset[str] = frozenset()
    _plain_words: frozenset[str] = frozenset()
    """Words of a sentence that do not look like names; a definition with such a name gets no exact name match."""
    _uses_qualified_name: bool = False
    _is_path_or_error: bool = False
    """Whether the query is a path or an error message, not words about code."""
    _name_scores: dict[str, float] = field(default_factory=dict)
    """Name → its name feature; a view has many definitions of one name."""

    def __post_init__(self) -> None:
        self._stems = self.question.stems
        self._role_stems = self.evidence.terms.title_stems if self.evidence is not None else self._stems
        self._lowercase_words = frozenset(word.lower() for word in self.question.words)
        if self.intent == "natural_language" and len(self.question.words) >= LONG_QUERY_WORDS:
            self._plain_words = frozenset(self.question.words) - self.weights.names.keys()
        self._uses_qualified_name = uses_feature("qualified", self.intent)
        self._is_path_or_error = self.intent in ("path", "error")

    @property
    def _quote_bonus(self) -> float:
        """What a verbatim match adds to the text score; in an issue it is a place instead."""
        return VERBATIM_BONUS if self.evidence is None else 0.0

    def prefetch_similarities(self, paths: Iterable[str]) -> None:
        """Prefetch vector similarities for these files."""
        if self.vectors is not None:
            self._similarities = self.vectors.compute_features(paths)

    def file_features(self, path: str) -> RawFeatures:
        """Return the features of a file that need only its path and its vectors."""
        terms, shares = self.paths.path_terms(path), self.weights.idf_share
        # Every query stem in a path adds to its score, so a path without a score has none of them.
        by_path = self.paths.score(path, self._stems)
        return RawFeatures(
            path=by_path,
            path_cover=sum(shares[one] for one in terms.words.keys() & shares.keys()) if by_path else 0.0,
            stem_share=len(terms.stem & self._stems) / len(terms.stem) if by_path and terms.stem else 0.0,
            role=self.paths.role_prior(path, self._role_stems),
            mentioned=self.evidence.paths.get(path, 0.0) if self.evidence is not None else 0.0,
            **self._similarity_features(path),
        )

    def _similarity_features(self, path: str) -> dict[str, float]:
        found = self._similarities.get(path)
        if found is None:
            return {}
        return {
            "near": found.near,
            "near_file": found.near_file,
            "near_outline": found.near_outline,
            "near_path": found.near_path,
        }

    def with_name_features(self, path: str, known: RawFeatures) -> RawFeatures:
        """Add the features of the names a file defines; computed only for files that may rank high."""
        heads = self.view.heads(self.view.entries[path].blob)
        return known._replace(
            defines=defines_query_name(heads, self.weights) if self.weights.names else 0.0,
            names=name_bm25(self.paths.name_profile(self.view, path), self.weights),
            size=score_size(heads),
        )

    def cheap_score(self, known: RawFeatures, candidates: list[Candidate]) -> float:
        """Estimate the score of a file before its facts are read; a file with a name match always comes first."""
        if any(item.name_matched for item in candidates):
            return 1.0
        text = max(
            item.bm25 * BM25_UNIT / self.weights.idf_total + self._quote_bonus * item.verbatim for item in candidates
        )
        return score_file(known, self.intent) + score_candidate(CandidateFeatures(text=text), self.intent)

    def score_references(self, paths: Sequence[str]) -> list[float]:
        """Score how many other files mention the names of each file; computed only for files that may rank high."""
        return self.paths.score_references(self.view, paths)

    def candidate_features(self, path: str, candidates: list[Candidate]) -> list[CandidateFeatures]:
        """Return the features that differ between the candidates of one file."""
        texts = sorted((item.bm25 for item in candidates if item.bm25 > 0), reverse=True)
        heads = self.view.heads(self.view.entries[path].blob)
        return [
            self._build_features(item, heads, self._text_score(item.bm25, texts) + self._quote_bonus * item.verbatim)
            for item in candidates
        ]

    def _text_score(self, bm25: float, texts: list[float]) -> float:
        """BM25 of the chunk plus a part of the file's next best chunk, normalized by the total IDF of the query."""
        if bm25 <= 0:
            return 0.0
        next_best = texts[0] if bm25 < texts[0] else texts[1] if len(texts) > 1 else 0.0
        return (bm25 + SECOND_CHUNK_WEIGHT * next_best) * BM25_UNIT / self.weights.idf_total

    def _build_features(self, item: Candidate, heads: DefinitionHeaders, text: float) -> CandidateFeatures:
        prior, fragment = 1.0, 0.0
        if self._is_path_or_error:
            # For paths and error messages the role of the file scales every feature.
            fragment = self.paths.affinity(item.path, self.question.text, self._stems)
            prior = get_role_weight(item.path, self._stems)
        if self.intent == "path":
            # A path query wants the file itself; definitions and chunks inside it rank below.
            if item.whole_file:
                return CandidateFeatures(name=fragment, qualified=fragment, fragment=fragment, definition=1.0)
            fragment *= INSIDE_FILE_SHARE
        if item.position < 0:
            quoted = item.verbatim if self.evidence is not None else 0.0
            near = self._rescale_similarity(item) if self.evidence is not None else 0.0
            return CandidateFeatures(fragment=fragment, place=quoted, near_chunk=near, text=text * prior)
        head = heads.get_header(item.position)
        if self.evidence is not None:
            return self._build_issue_features(item, head, text, self.evidence)
        secondary = head.kind in SECONDARY
        # Headings and keys match by their text; their names count only in symbol queries.
        share = prior * (SECONDARY_SHARE if self.intent == "symbol" else 0.0) if secondary else prior
        return CandidateFeatures(
            name=self._match_name(head.name) * share,
            qualified=self._match_qualified_name(item) * share if self._uses_qualified_name else 0.0,
            fragment=fragment,
            definition=0.0 if secondary else 1.0 if item.name_matched and head.name not in self._plain_words else 0.5,
            kind=KIND_PRIOR.get(head.kind, 0.3),
            text=text * prior,
        )

    def _build_issue_features(
        self, item: Candidate, head: DefinitionHeader, text: float, evidence: IssueEvidence
    ) -> CandidateFeatures:
        """Return the features of a definition for an issue: what the issue names there, and how well it fits."""
        return CandidateFeatures(
            name=self._cover_name(head.name, evidence),
            definition=1.0 if head.kind in CALLABLE else 0.0,
            kind=KIND_PRIOR.get(head.kind, 0.3),
            place=max(evidence.places.get((item.path, item.position), 0.0), item.verbatim),
            near_chunk=self._rescale_similarity(item),
            text=text,
        )

    def _cover_name(self, name: str, evidence: IssueEvidence) -> float:
        """Score a name: as the issue writes it, or by how much of the issue its parts are and it is of them."""
        known = self._name_scores.get(name)
        if known is None:
            stems = distinct_stems(name)
            shares = [self.weights.idf_share[one] for one in stems if one in self.weights.idf_share]
            partial = min(1.0, _NAME_COVER_GAIN * sum(shares)) * len(shares) / len(stems) if stems else 0.0
            known = self._name_scores[name] = max(evidence.names.get(name, 0.0), PARTS_MATCH_SCORE * partial)
        return known

    def _rescale_similarity(self, item: Candidate) -> float:
        return self.vectors.rescale_chunk(item.similarity) if self.vectors is not None else 0.0

    def _match_name(self, name: str) -> float:
        """1 for the exact name, less in another case; else how well the parts of name and query cover each other."""
        known = self._name_scores.get(name)
        if known is None:
            known = self._name_scores[name] = self._compare_name(name)
        return known

    def _compare_name(self, name: str) -> float:
        words, wanted = self.question.words, self.question.parts
        if name in words and name not in self._plain_words:
            return 1.0 if len(words) == 1 else max(0.6, 1.0 / len(words))
        if name.lower() in self._lowercase_words and name not in self._plain_words:
            return CASE_MISMATCH_SCORE if len(words) == 1 else max(0.5, CASE_MISMATCH_SCORE / len(words))
        parts = self.question.name_parts(name)
        if not parts or not wanted:
            return 0.0
        common = len(parts & wanted)
        return PARTS_MATCH_SCORE * (common / len(parts)) * math.sqrt(common / len(wanted))

    def _match_qualified_name(self, item: Candidate) -> float:
        text, wanted = self.question.text.strip(), self.question.parts
        full = self.view.get_qualified_name(item.path, item.position)
        if text and (full == text or full.endswith(text)):
            return 1.0
        parts = frozenset(split_identifier(full.replace("::", " ").replace("/", " ").replace(".", " ")))
        return len(parts & wanted) / len(wanted) if wanted else 0.0
