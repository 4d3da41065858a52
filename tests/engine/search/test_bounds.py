"""A search under filters holds a bounded part of a view in memory and ends within its time, whatever it is asked."""

from collections.abc import Iterator

import pytest

from codecompass.engine.search.filters import filter_set
from codecompass.engine.search.filters.filter_set import FilterSet
from codecompass.model.call import Call
from codecompass.model.queries.filters import Filters
from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import SearchQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

FILES = 600


def source(number: int) -> str:
    module = "os" if number % 50 == 0 else "json"
    return f"import {module}\n\n\ndef part{number}(first):\n    return {module}.load{number}(first)\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("bounds")
    repo = make_repo(base / "repo", {f"part/p{number}.py": source(number) for number in range(FILES)})
    with desk_on(repo, base / "data") as desk:
        desk.index()
        yield desk


def ask(desk: Desk, **filters: str) -> Hits:
    query = SearchQuery("", limit=100, freshness="best_effort", filters=Filters.parse(filters))
    return desk.engine.search(None, query, Call())


@pytest.fixture
def sieves(monkeypatch: pytest.MonkeyPatch) -> list[FilterSet]:
    made: list[FilterSet] = []
    begin = FilterSet.__post_init__

    def note(self: FilterSet) -> None:
        made.append(self)
        begin(self)

    monkeypatch.setattr(FilterSet, "__post_init__", note)
    return made


def test_a_name_of_two_letters_opens_only_files_that_have_it(desk: Desk, sieves: list[FilterSet]) -> None:
    """FILTER-BOUNDS: words too short for trigrams are answered from the digest, not by opening every file."""
    found = ask(desk, **{"import": "os"})
    assert found.total == FILES // 50
    assert max(sieve.opened_blobs for sieve in sieves) <= FILES // 50


def test_what_a_search_keeps_is_bounded(desk: Desk, sieves: list[FilterSet], monkeypatch: pytest.MonkeyPatch) -> None:
    """FILTER-BOUNDS: facts of a few files are held at a time, and the answer is the same."""
    monkeypatch.setattr(filter_set, "_MAX_CACHED_BLOBS", 10)
    monkeypatch.setattr(filter_set, "_MAX_CACHED_RESULTS", 10)
    found = ask(desk, reads="fir")
    assert found.total >= 100
    assert all(len(sieve._blob_facts) <= 10 and len(sieve._results) <= 10 for sieve in sieves)


def test_a_search_that_takes_too_long_says_what_it_left(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """FILTER-BOUNDS: out of time, the answer is partial and says so; the next one is not taken from memory."""
    monkeypatch.setattr(filter_set, "LONGEST_S", -1.0)
    cut = ask(desk, throws="no")
    assert not cut.complete and any("skipped the rest" in note for note in cut.warnings)
    monkeypatch.setattr(filter_set, "LONGEST_S", 60.0)
    assert ask(desk, throws="no").complete


def test_dropped_caches_change_no_answer(desk: Desk) -> None:
    """FILTER-BOUNDS: over its memory budget a server frees what it kept and answers as before."""
    before = ask(desk, **{"import": "os"})
    (project,) = desk.engine._projects._pool.list_open()
    project.drop_caches()
    after = ask(desk, **{"import": "os"})
    assert [hit.path for hit in after.hits] == [hit.path for hit in before.hits] and after.total == before.total
