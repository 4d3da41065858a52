"""Query terms: the words of a query, their weights by how rare they are here, and the text query made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from codecompass.model.states import Intent
from codecompass.store.ports import Snapshot
from codecompass.store.text_query import QueryNode, TextQuery
from codecompass.text.bm25 import compute_bm25_idf
from codecompass.text.dictionary import Dictionary
from codecompass.text.tokens import (
    list_inflections,
    list_spellings,
    name_parts,
    split_identifier,
    split_query_words,
    stem,
    stem_parts,
)

STOPWORDS = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its me of on or our show tell that"
    " the their them there these this to use used uses using was we were what when where which who why will with you"
    " your implemented implement implementation defined define happen happens work works".split()
)
"""Words that carry no meaning in a query. Common words of code (`file`, `get`) are not among them: their IDF is low
anyway, and some queries are about just those.
"""
LONG_QUERY_WORDS = 3
"""Number of words from which on a query is a sentence, of which few chunks contain every word."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of one query."""

    text: str
    words: tuple[str, ...]
    """Words as typed, without stop words, unless there are only stop words."""
    parts: frozenset[str]
    """Lower-case parts of all words."""
    dictionary: Dictionary | None = None
    """Dictionary with which the index split compound words."""

    def split(self, word: str) -> list[str]:
        """Split a word into parts as the index does."""
        return self.dictionary.split(word) if self.dictionary is not None else split_identifier(word)

    def name_parts(self, name: str) -> frozenset[str]:
        """Return the distinct parts of a name, split as the index does."""
        return name_parts(name) if self.dictionary is None else frozenset(self.dictionary.split(name))

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all parts."""
        return frozenset(one for word in self.words for one in stem_parts(word))

    @property
    def text_words(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each word and, if it is a compound, its parts, as the text index expects them."""
        found = []
        for word in self.words:
            parts = tuple(self.split(word))
            found.append((word.lower(), parts if len(parts) > 1 else ()))
        return tuple(dict.fromkeys(found))


def drop_words(question: QueryTerms, dropped: frozenset[str]) -> QueryTerms:
    """Drop some of the words, unless nothing would be left."""
    words = tuple(word for word in question.words if word not in dropped)
    if not words or len(words) == len(question.words):
        return question
    return replace(question, words=words, parts=frozenset(part for word in words for part in question.split(word)))


def tokenize_query(query: str, dictionary: Dictionary | None = None) -> QueryTerms:
    """Tokenize a query and drop its stop words."""
    every = split_query_words(query)
    words = [word for word in every if word.lower() not in STOPWORDS] if len(every) > 1 else every
    words = words or every
    split = dictionary.split if dictionary is not None else split_identifier
    parts = frozenset(part for word in words for part in split(word))
    return QueryTerms(query, tuple(words[:64]), parts, dictionary)


LIKELY_NAME_CONFIDENCE = 0.8
"""Confidence that a capitalised word inside a sentence is a name; camelCase and snake_case words have 1."""
_MAX_FORMS = 400
"""Maximum number of words and forms looked up for one query."""


@dataclass(frozen=True, slots=True)
class TermWeights:
    """Weights of the terms of one query."""

    idf_share: Mapping[str, float]
    """Stem → its share of the total IDF; the shares add up to 1."""
    idf_total: float
    """Sum of the BM25 IDF of all stems; the score of a perfect match grows with it."""
    names: Mapping[str, float]
    """Words that look like names → confidence."""
    forms: Mapping[str, tuple[str, ...]]
    """Part of a word → its forms that occur in the index."""


def compute_idf(question: QueryTerms, intent: Intent, snapshot: Snapshot) -> TermWeights:
    """Look up the document frequency of every word, and of its inflected forms for natural-language queries."""
    parts = list(dict.fromkeys(part for word in question.words for part in split_identifier(word)))
    inflected = intent == "natural_language"
    tried = {part: _lookup_forms(part, inflected=inflected) for part in parts}
    every = list(dict.fromkeys(form for found in tried.values() for form in found))[:_MAX_FORMS]
    counts, documents = snapshot.document_frequencies(every)
    known = {part: tuple(form for form in found if form in counts) for part, found in tried.items()}
    idfs: dict[str, float] = {}
    for part, found in known.items():
        if len(part) > 1:
            frequency = max((counts[form] for form in found), default=0)
            idfs[stem(part)] = compute_bm25_idf(documents, frequency)
    total = sum(idfs.values()) or 1.0
    return TermWeights(
        idf_share={one: idf / total for one, idf in idfs.items()},
        idf_total=total,
        names=_find_likely_names(question),
        forms=known,
    )


def _lookup_forms(part: str, *, inflected: bool) -> tuple[str, ...]:
    """Return the forms to look up for a word part: all inflections in a sentence, else its spelling variants."""
    if not part.isascii() or not part.isalpha():
        return (part,)
    return list_inflections(part) if inflected else list_spellings(part)


def _find_likely_names(question: QueryTerms) -> dict[str, float]:
    words = question.words
    alone = len(words) <= 2
    found = {}
    for at, word in enumerate(words):
        if len(split_identifier(word)) > 1 or "_" in word or len(words) == 1:
            found[word] = 1.0
        elif word[:1].isupper() and (at or alone or not question.text.lstrip().startswith(word)):
            found[word] = LIKELY_NAME_CONFIDENCE
    return found


INFLECTED_FORM_WEIGHT = 0.6
"""Weight of another form of a word; otherwise a rare form would weigh more than the word itself."""


@dataclass(frozen=True, slots=True)
class TextQueryBuilder:
    """Builds text index queries for the words of one query."""

    words: tuple[tuple[str, tuple[str, ...]], ...]
    """Each word as a whole and in its parts."""
    weights: TermWeights
    inflected: bool
    """Whether inflected forms match too; spelling variants always do."""
    boosts: Mapping[str, float] = field(default_factory=dict)
    """Word in lower case → its weight, where words of one query weigh differently."""

    @classmethod
    def for_query(cls, question: QueryTerms, weights: TermWeights, intent: Intent) -> "TextQueryBuilder":
        return cls(question.text_words, weights, intent == "natural_language")

    @property
    def count(self) -> int:
        return len(self.words)

    @property
    def is_long(self) -> bool:
        return self.count >= LONG_QUERY_WORDS

    def build(
        self,
        *,
        every: bool,
        language: str,
        limit: int,
        only: frozenset[int] | None = None,
        prose: bool = False,
    ) -> TextQuery:
        varied = bool(self.boosts) or self.inflected or any(len(found) > 1 for found in self.weights.forms.values())
        clause = self._build_clause(every=every) if varied and self.words else None
        return TextQuery(self.words, every, language, limit, only, prose, clause)

    def _build_clause(self, *, every: bool) -> QueryNode:
        items = [self._word_clause(whole, parts) for whole, parts in self.words]
        if every:
            return QueryNode("all", items=tuple(items))
        for (one, _), (two, _) in pairwise(self.words) if not self.boosts else ():
            # Two adjacent words add to the score where they are written as one.
            items += [QueryNode("word", (one + two, ())), QueryNode("word", (f"{one}_{two}", ()))]
        return QueryNode("any", items=tuple(items))

    def _word_clause(self, whole: str, parts: tuple[str, ...]) -> QueryNode:
        weight = self.boosts.get(whole, 1.0)
        itself = QueryNode("word", (whole, parts), weight=weight)
        others = [form for part in parts or (whole,) for form in self.weights.forms.get(part, ()) if form != whole]
        if not others:
            return itself
        return QueryNode(
            "any",
            items=(itself, *(QueryNode("word", (form, ()), weight=weight * INFLECTED_FORM_WEIGHT) for form in others)),
        )
