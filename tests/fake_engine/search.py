"""Search of the small engine: the hits it was given."""

from collections.abc import Callable
from dataclasses import replace

from codecompass.model.call import Call
from codecompass.model.queries.context_bundle import ContextBundle, ContextBundleQuery, ContextSnippet, OmittedSnippet
from codecompass.model.queries.navigation_queries import (
    SymbolTarget,
)
from codecompass.model.queries.results import (
    Explanation,
    Hits,
    RankedHit,
    ScoreFactor,
)
from codecompass.model.queries.search_query import LocateQuery, SearchQuery
from codecompass.model.states import SearchMode
from tests.fake_engine.answers import HIT, FakeAnswers


class FakeSearch(FakeAnswers):
    def locate(self, workspace: str | None, query: LocateQuery, call: Call) -> Hits:
        return self._answer(query, call)

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits:
        return self._answer(query, call)

    def search_modes(
        self, workspace: str | None, query: SearchQuery, modes: tuple[SearchMode, ...], call: Call
    ) -> tuple[Hits, ...]:
        return tuple(self._answer(replace(query, mode=mode), call) for mode in modes)

    def needs_records(self, query: SearchQuery) -> bool:
        return False

    def explain(self, workspace: str | None, query: SearchQuery, target: SymbolTarget, call: Call) -> Explanation:
        self.queries += [query, target]
        if self.fail is not None:
            raise self.fail
        standing = RankedHit(
            HIT, (ScoreFactor("exact_match_boost", 1.0, 0.4, 0.4), ScoreFactor("bm25_score", 12.0, 0.6, 0.3))
        )
        return Explanation(standing, 2, 47, "symbol", "sum", standing, self.state)

    def bundle(
        self, workspace: str | None, query: ContextBundleQuery, cost: Callable[[ContextSnippet], int], call: Call
    ) -> ContextBundle:
        self.queries.append(query)
        piece = ContextSnippet(
            "definitions", "src/auth.py", 3, 9, "python", "def validate(token): ...", "matches", "fn", "auth"
        )
        left = (OmittedSnippet("tests", "tests/t.py", 5, "test_it", "sym_3"),)
        return ContextBundle((piece,), cost(piece), left, 3, 47, "symbol", self.state, {"definitions": 1})
