"""Answers that are kept: the same one again while it holds, within a bound, and never one that may have changed."""

from typing import Any

import pytest

from codecompass.engine.search import pipeline
from codecompass.engine.search.pipeline import ResultCache, SearchOutcome
from codecompass.engine.services import search_service
from codecompass.model.call import Call
from codecompass.model.queries.filters import Filters
from codecompass.model.queries.results import Hit, Hits, Reasons, ViewState
from codecompass.model.queries.search_query import SearchQuery
from tests.engine.support import Desk

STATE = ViewState("main", "fresh", "ready", "compatible")


def make_hits(size: int = 100) -> Hits:
    hit = Hit("file", "id", "a.py", 1, 2, "python", 0.5, Reasons(), body_preview="x" * size)
    return Hits((hit,), 1, STATE, "symbol", False, False, (), True)


def test_the_same_question_is_answered_from_memory() -> None:
    """ANSWER-KEPT: what was found in a published state is found once."""
    kept, hits = ResultCache(), make_hits()
    assert kept.get("a") is None
    kept.put("a", hits, ("a.py",))
    assert kept.get("a") == (hits, ("a.py",))
    assert kept.get("b") is None


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """ANSWER-KEPT: the answers asked for longest ago go first, and a huge one is never kept."""
    monkeypatch.setattr(pipeline, "MAX_CACHE_BYTES", 30_000)
    monkeypatch.setattr(pipeline, "MAX_ENTRY_BYTES", 20_000)
    kept, hits = ResultCache(), make_hits(8_000)
    for key in ("a", "b", "c"):
        kept.put(key, hits, ())
    assert kept.get("a") is not None
    kept.put("d", hits, ())  # the fourth does not fit: "b" was asked for longest ago
    assert [key for key in "abcd" if kept.get(key) is not None] == ["a", "c", "d"]
    assert kept._entries.used <= 30_000
    kept.put("huge", make_hits(40_000), ())
    assert kept.get("huge") is None


@pytest.mark.parametrize(("filters", "searches"), [({"lang": "python"}, 1), ({"author": "Lin"}, 2)])
def test_what_may_change_is_asked_again(
    polyglot: Desk, monkeypatch: pytest.MonkeyPatch, filters: dict[str, str], searches: int
) -> None:
    """ANSWER-KEPT: an answer that depends on more than the published state is not kept."""
    count = 0

    def count_searches(*args: Any) -> SearchOutcome:  # noqa: ANN401 - handed on as they come
        nonlocal count
        count += 1
        return pipeline.search(*args)

    monkeypatch.setattr(search_service, "search", count_searches)
    query = SearchQuery(f"kept answers {sorted(filters)}", filters=Filters.parse(filters))
    first, second = (polyglot.engine.search(None, query, Call()) for _ in range(2))
    assert first.hits == second.hits and count == searches
