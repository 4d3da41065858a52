"""Inverted index: postings of a corpus, and BM25 scores of a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codecompass.engine.memory.corpus import CorpusEntry
from codecompass.engine.memory.search.memory_query import ParsedMemoryQuery, ProperName, QueryTerm, strip_separators
from codecompass.engine.memory.search.memory_tokens import stem_family
from codecompass.text.bm25 import compute_bm25_idf, compute_length_norm, score_term

K1 = 1.2
B = 0.6
_REACHABLE_SHARE = 0.75
"""Share of the maximum BM25 score that a very good text reaches."""
_MAX_NAME_CANDIDATES = 200
"""If more items contain all parts of a name, they are not searched for the name as one word."""


class LexicalScores(NamedTuple):
    """Lexical scores of every item."""

    score: NDArray[np.float32]
    coverage: NDArray[np.float32]
    """Share of the query's weight that an item covers."""
    matched_terms: NDArray[np.int32]
    """Number of query terms that an item contains."""
    unknown_share: float
    """Share of the query's weight that no item contains; an unknown name counts twice."""


class _TermScores(NamedTuple):
    """Scores of one query term for every item."""

    weight: float
    score: NDArray[np.float32]
    presence: NDArray[np.float32]


@dataclass
class InvertedIndex:
    """Postings of items: term → (item number, count)."""

    items: Sequence[CorpusEntry]
    vocabulary: dict[str, int]
    bounds: NDArray[np.intp]
    """Start of each term's postings, and the end of the last ones."""
    item_numbers: NDArray[np.int32]
    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]
    missing: int = 0
    """Number of items that are not indexed yet for lack of time."""

    @cached_property
    def stem_families(self) -> dict[str, list[str]]:
        """Stem family → its terms in the vocabulary."""
        found: dict[str, list[str]] = {}
        for word in self.vocabulary:
            found.setdefault(stem_family(word), []).append(word)
        return found

    @cached_property
    def mean_length(self) -> float:
        """Average number of terms of an item."""
        return max(float(self.lengths.mean()) if len(self.items) else 1.0, 1.0)

    def _get_postings(self, word: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        at = self.vocabulary.get(word)
        held = slice(int(self.bounds[at]), int(self.bounds[at + 1])) if at is not None else slice(0, 0)
        return self.item_numbers[held], self.counts[held]

    def compute_idf(self, word: str) -> float:
        """Return the inverse document frequency of a term."""
        return compute_bm25_idf(len(self.items), len(self._get_postings(word)[0]))

    def bm25(self, question: ParsedMemoryQuery) -> LexicalScores:
        """Compute BM25 of every item, normalized by the query's reachable maximum, and the coverage of the query."""
        size = len(self.items)
        total, covered = np.zeros(size, np.float32), np.zeros(size, np.float32)
        shared = np.zeros(size, np.int32)
        best = missing = 0.0
        strange = [name for name in question.names if not self._contains_name(name)]
        parts = {word for name in strange for word in name.tokens}
        for term in question.terms:
            written = self._expand_term(term) if term.word not in parts else ()
            if not written:
                # A phrase that matches nothing does not count as a missing term.
                lost = self.compute_idf(term.word) * term.emphasis if " " not in term.word else 0.0
                best, missing = best + lost, missing + lost
                continue
            found = self._term_scores(term, written)
            best += found.weight
            total += found.score
            covered += found.presence
            shared += found.presence > 0
        lost = self.compute_idf("") * len(strange)
        whole = max(best, 1e-9)
        reach = whole * (K1 + 1) * _REACHABLE_SHARE
        return LexicalScores(total / reach, covered / whole, shared, (missing + lost) / (whole + lost))

    def _expand_term(self, term: QueryTerm) -> list[tuple[str, float]]:
        """Return (term, weight) for a query term and its synonyms in the vocabulary."""
        found = {term.word: 1.0} if term.word in self.vocabulary else {}
        for family, worth in term.synonyms:
            for word in self.stem_families.get(family, ()):
                found.setdefault(word, worth)
        return list(found.items())

    def _term_scores(self, term: QueryTerm, written: Sequence[tuple[str, float]]) -> "_TermScores":
        """Score one query term for every item: the best of the term and its synonyms."""
        rarity = {word: self.compute_idf(word) for word, _ in written}
        weight = rarity.get(term.word, max(rarity.values())) * term.emphasis
        score, has = np.zeros(len(self.items), np.float32), np.zeros(len(self.items), np.float32)
        for word, worth in written:
            at, counts = self._get_postings(word)
            tells = weight if word == term.word else min(rarity[word], weight) * worth
            norm = compute_length_norm(self.lengths[at], self.mean_length, K1, B)
            score[at] = np.maximum(score[at], score_term(counts, norm, tells, K1 + 1))
            has[at] = np.maximum(has[at], tells)
        return _TermScores(weight, score, has)

    def _contains_name(self, name: ProperName) -> bool:
        """Whether any item contains a name: all its parts, and the parts as one word."""
        held = [self._get_postings(word)[0] for word in name.tokens]
        found = held[0]
        for more in held[1:]:
            found = np.intersect1d(found, more)
        if len(held) == 1 or len(found) > _MAX_NAME_CANDIDATES:
            return bool(len(found))
        return any(name.letters in strip_separators(_join_searched_text(self.items[int(at)])) for at in found)


def _join_searched_text(entry: CorpusEntry) -> str:
    """Join all searched fields of an item."""
    item = entry.discovery
    return " ".join((item.title, item.content, *entry.paths[:4], item.module, *item.symbols))
