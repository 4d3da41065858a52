"""Text query builder: queries for the text index; sentences also match inflected forms, names only as written."""

from dataclasses import dataclass
from itertools import pairwise

from codecompass.engine.search.query.idf import Asked
from codecompass.engine.search.query.query_terms import Question
from codecompass.store.text_query import Clause, TextQuery

FORM = 0.6
"""Weight of another form of a word; otherwise a rare form would weigh more than the word itself."""
LONG = 3
"""Number of words from which on a query is a sentence, of which few chunks contain every word."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Builds text index queries for the words of one query."""

    words: tuple[tuple[str, tuple[str, ...]], ...]
    """Each word as a whole and in its parts."""
    asked: Asked
    inflected: bool
    """Whether inflected forms match too; spelling variants always do."""

    @classmethod
    def of(cls, question: Question, weights: Asked, intent: str) -> "Wording":
        return cls(question.text_words, weights, intent == "natural_language")

    @property
    def count(self) -> int:
        return len(self.words)

    @property
    def is_long(self) -> bool:
        return self.count >= LONG

    def query(
        self,
        *,
        every: bool,
        language: str,
        limit: int,
        only: frozenset[int] | None = None,
        prose: bool = False,
    ) -> TextQuery:
        varied = self.inflected or any(len(found) > 1 for found in self.asked.forms.values())
        clause = self._clause(every=every) if varied and self.words else None
        return TextQuery(self.words, every, language, limit, only, prose, clause)

    def _clause(self, *, every: bool) -> Clause:
        items = [self._word(whole, parts) for whole, parts in self.words]
        if every:
            return Clause("all", items=tuple(items))
        for (one, _), (two, _) in pairwise(self.words):
            # Two adjacent words add to the score where they are written as one.
            items += [Clause("word", (one + two, ())), Clause("word", (f"{one}_{two}", ()))]
        return Clause("any", items=tuple(items))

    def _word(self, whole: str, parts: tuple[str, ...]) -> Clause:
        itself = Clause("word", (whole, parts))
        others = [form for part in parts or (whole,) for form in self.asked.forms.get(part, ()) if form != whole]
        if not others:
            return itself
        return Clause("any", items=(itself, *(Clause("word", (form, ()), share=FORM) for form in others)))
