"""IDF: weights of query terms by how rare they are in this repository."""

from collections.abc import Mapping
from dataclasses import dataclass

from codecompass.engine.search.query.query_terms import QueryTerms
from codecompass.model.states import Intent
from codecompass.store.ports import Snapshot
from codecompass.text.bm25 import compute_bm25_idf
from codecompass.text.spelling import list_spellings
from codecompass.text.stems import list_inflections, stem
from codecompass.text.tokens import split_identifier

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
