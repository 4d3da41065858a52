"""Answers that are kept: the same one again while it holds, within a bound, and never one that may have changed."""

import pytest

from codecompass.engine.search import result_cache
from codecompass.engine.search.result_cache import ResultCache
from codecompass.model.queries.results import Hit, Hits, Reasons, ViewState

STATE = ViewState("main", "fresh", "ready", "compatible")


class Maker:
    """Counts how often it was asked."""

    def __init__(self, size: int = 100, *, lasting: bool = True) -> None:
        hit = Hit("file", "id", "a.py", 1, 2, "python", 0.5, Reasons(), body_preview="x" * size)
        self._made = Hits((hit,), 1, STATE, "symbol", False, False, (), True), ("a.py",), lasting
        self.count = 0

    def __call__(self) -> tuple[Hits, tuple[str, ...], bool]:
        self.count += 1
        return self._made


def test_the_same_question_is_answered_from_memory() -> None:
    """ANSWER-KEPT: what was found in a published state is found once."""
    kept, make = ResultCache(), Maker()
    first, second = kept.get("a", make), kept.get("a", make)
    assert first == second and make.count == 1
    kept.get("b", make)
    assert make.count == 2


def test_what_may_change_is_asked_again() -> None:
    """ANSWER-KEPT: an answer that depends on more than the published state is not kept."""
    kept, make = ResultCache(), Maker(lasting=False)
    kept.get("a", make)
    kept.get("a", make)
    assert make.count == 2


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """ANSWER-KEPT: the answers asked for longest ago go first, and a huge one is never kept."""
    monkeypatch.setattr(result_cache, "MAX_CACHE_BYTES", 30_000)
    monkeypatch.setattr(result_cache, "MAX_ENTRY_BYTES", 20_000)
    kept, make, huge = ResultCache(), Maker(8_000), Maker(40_000)
    for key in ("a", "b", "a", "c"):
        kept.get(key, make)
    assert make.count == 3
    kept.get("d", make)  # the fourth does not fit: "b" was asked for longest ago
    kept.get("a", make)
    assert make.count == 4
    kept.get("b", make)
    assert make.count == 5 and kept._entries.used <= 30_000
    for _ in range(2):
        kept.get("huge", huge)
    assert huge.count == 2
