"""Answers that are kept: the same one again while it holds, within a bound, and never one that may have changed."""

import pytest

from codecompass.engine.search import result_cache
from codecompass.engine.search.result_cache import ResultCache
from codecompass.model.queries.results import Hit, Hits, Reasons, ViewState

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
    monkeypatch.setattr(result_cache, "MAX_CACHE_BYTES", 30_000)
    monkeypatch.setattr(result_cache, "MAX_ENTRY_BYTES", 20_000)
    kept, hits = ResultCache(), make_hits(8_000)
    for key in ("a", "b", "c"):
        kept.put(key, hits, ())
    assert kept.get("a") is not None
    kept.put("d", hits, ())  # the fourth does not fit: "b" was asked for longest ago
    assert [key for key in "abcd" if kept.get(key) is not None] == ["a", "c", "d"]
    assert kept._entries.used <= 30_000
    kept.put("huge", make_hits(40_000), ())
    assert kept.get("huge") is None
