"""Asked: the words of a question with what each is worth, by how rare it is in this repository."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from codecompass.engine.search.query.query_terms import Question
from codecompass.store.ports import Snapshot
from codecompass.text.spelling import spellings
from codecompass.text.stems import forms, stem
from codecompass.text.tokens import split_identifier

LIKELY_NAME = 0.8
"""How surely a capitalised word within a sentence is a name; one with humps or underscores surely is."""
_MOST_FORMS = 400
"""Words and forms that are looked up for one question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What ranking knows of a question."""

    shares: Mapping[str, float]
    """Stem → its share of the question; rare ones have more, and all add up to 1."""
    rarity: float
    """Of all stems together, as BM25 counts it: what a perfect match is worth grows with it."""
    names: Mapping[str, float]
    """Words that look like names, with how surely they are."""
    forms: Mapping[str, tuple[str, ...]]
    """Part of a word → the forms of it that occur anywhere."""


def weigh(question: Question, intent: str, snapshot: Snapshot) -> Asked:
    """Look every word up, and its other forms where a sentence was asked."""
    parts = list(dict.fromkeys(part for word in question.words for part in split_identifier(word)))
    inflected = intent == "natural_language"
    tried = {part: _tried(part, inflected=inflected) for part in parts}
    every = list(dict.fromkeys(form for found in tried.values() for form in found))[:_MOST_FORMS]
    counts, documents = snapshot.word_counts(every)
    known = {part: tuple(form for form in found if form in counts) for part, found in tried.items()}
    rarities: dict[str, float] = {}
    for part, found in known.items():
        if len(part) > 1:
            holders = max((counts[form] for form in found), default=0)
            rarities[stem(part)] = math.log(1 + (documents - min(holders, documents) + 0.5) / (holders + 0.5))
    total = sum(rarities.values()) or 1.0
    return Asked(
        shares={one: rarity / total for one, rarity in rarities.items()},
        rarity=total,
        names=_names(question),
        forms=known,
    )


def _tried(part: str, *, inflected: bool) -> tuple[str, ...]:
    """The words that are looked up for a part: of a sentence all forms, else both spellings."""
    if not part.isascii() or not part.isalpha():
        return (part,)
    return forms(part) if inflected else spellings(part)


def _names(question: Question) -> dict[str, float]:
    words = question.words
    alone = len(words) <= 2
    found = {}
    for at, word in enumerate(words):
        if len(split_identifier(word)) > 1 or "_" in word or len(words) == 1:
            found[word] = 1.0
        elif word[:1].isupper() and (at or alone or not question.text.lstrip().startswith(word)):
            found[word] = LIKELY_NAME
    return found
