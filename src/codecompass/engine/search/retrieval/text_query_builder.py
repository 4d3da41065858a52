"""Text query builder: queries for the text index; sentences also match inflected forms, names only as written."""

from dataclasses import dataclass
from itertools import pairwise

from codecompass.engine.search.query.idf import TermWeights
from codecompass.engine.search.query.query_terms import LONG_QUERY_WORDS, QueryTerms
from codecompass.model.states import Intent
from codecompass.store.text_query import QueryNode, TextQuery

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
        varied = self.inflected or any(len(found) > 1 for found in self.weights.forms.values())
        clause = self._build_clause(every=every) if varied and self.words else None
        return TextQuery(self.words, every, language, limit, only, prose, clause)

    def _build_clause(self, *, every: bool) -> QueryNode:
        items = [self._word_clause(whole, parts) for whole, parts in self.words]
        if every:
            return QueryNode("all", items=tuple(items))
        for (one, _), (two, _) in pairwise(self.words):
            # Two adjacent words add to the score where they are written as one.
            items += [QueryNode("word", (one + two, ())), QueryNode("word", (f"{one}_{two}", ()))]
        return QueryNode("any", items=tuple(items))

    def _word_clause(self, whole: str, parts: tuple[str, ...]) -> QueryNode:
        itself = QueryNode("word", (whole, parts))
        others = [form for part in parts or (whole,) for form in self.weights.forms.get(part, ()) if form != whole]
        if not others:
            return itself
        return QueryNode(
            "any", items=(itself, *(QueryNode("word", (form, ()), weight=INFLECTED_FORM_WEIGHT) for form in others))
        )
