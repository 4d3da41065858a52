"""A filtered search finds what a look at every definition finds, whatever filters are combined."""

import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.engine.search.filters.filter_set import evaluate_filter
from codecompass.engine.search.filters.predicates import FilterValueContext, prepare_value
from codecompass.engine.search.filters.units import OUTSIDE, BlobFacts, FilterUnit, GitFacts, OpenedCount
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.call import Call
from codecompass.model.queries.filters import FILTERS, FILTERS_BY_FIELD, Filters
from codecompass.model.queries.search_query import SearchQuery
from tests.engine.search.polyglotlab import SOURCES, ask, said
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

CASES: dict[str, dict[str, Any]] = tomllib.loads((SOURCES.parent / "filter_cases.toml").read_text())
BROAD: dict[str, tuple[object, ...]] = {
    "type": ("function", "function,class,field", "file,class"), "lang": ("py,ts,go", "typescript"),
    "async": (False,), "generator": (False,), "returns": (False,), "lint": (False,), "branchesMin": (0, 1),
    "signature": ("parcel",), "uses": ("parcel",), "path": ("/[abc]/",), "param": ("parcel",),
    "visibility": ("public",), "reads": ("parcel",), "inferredType": ("int",), "chunkAuthor": ("ada",),
    "author": ("a",), "churnMin": (1,),
}  # fmt: skip


def _values() -> st.SearchStrategy[dict[str, object]]:
    rows = [row.field for row in FILTERS if row.scope != "record"]
    choices = [(name, value) for name in rows for value in (CASES[name]["value"], *BROAD.get(name, ()))]
    return st.lists(st.sampled_from(choices), min_size=1, max_size=3).map(dict)


def _units(view: PinnedView, git: GitFacts) -> Iterator[tuple[str, FilterUnit]]:
    for path, entry in view.entries.items():
        dossier = BlobFacts(view, entry.blob, OpenedCount())
        yield path, FilterUnit(path, dossier, git, OUTSIDE, 1, 0, is_file=True)
        for at, item in enumerate(dossier.facts.definitions):
            yield f"{path}:{item.name}", FilterUnit(path, dossier, git, at, item.line_start, item.line_end)
        for chunk in dossier.facts.chunks:
            if chunk.owner < 0:
                yield f"{path}:-", FilterUnit(path, dossier, git, OUTSIDE, chunk.line_start, chunk.line_end)


def _brute(desk: Desk, filters: Filters, without: Filters) -> set[str]:
    project, call = desk.engine._projects.open_for_query(None), Call()
    files_only = all(row.scope == "file" for row, _ in (*filters, *without))
    with project.open_view("main") as view:
        git = GitFacts(lambda: project.history(view, call))
        git.count_changes(list(view.entries))
        setting = FilterValueContext(view.registry, time.time())

        def passes(unit: FilterUnit) -> bool:
            return all(
                evaluate_filter(row.field, unit, prepare_value(row.field, value, setting)) for row, value in filters
            ) and not any(
                evaluate_filter(row.field, unit, prepare_value(row.field, value, setting)) for row, value in without
            )

        return {
            name for name, unit in _units(view, git) if unit.is_file is files_only or not files_only if passes(unit)
        }


@given(_values(), _values().filter(lambda chosen: len(chosen) == 1) | st.just({}))
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
def test_filtered_search_equals_brute_force(
    polyglot: Desk, chosen: dict[str, object], barred: dict[str, object]
) -> None:
    """SEA-FILTER-BRUTE: without words all that passes is found; with words nothing that does not pass."""
    filters, without = Filters.parse(chosen), Filters.parse(barred)
    expected = _brute(polyglot, filters, without)

    def found(text: str) -> set[str]:
        query = SearchQuery(text, limit=1_000, freshness="best_effort", filters=filters, without=without)
        return {said(hit) for hit in polyglot.engine.search(None, query, Call()).hits}

    assert found("") == expected
    if not all(FILTERS_BY_FIELD[name].scope == "file" for name in (*chosen, *barred)):
        assert found("parcel") <= expected


def test_case_of_paths(polyglot: Desk) -> None:
    """SEA-FILTER-PATHS: patterns tell upper from lower case when that is asked for."""

    def found(pattern: str) -> list[str]:
        query = SearchQuery("", filters=Filters.parse({"path": pattern}), case_file=True, freshness="best_effort")
        return [hit.path for hit in polyglot.engine.search(None, query, Call()).hits]

    assert found("Gate") == ["api/Gate.java"]
    assert found("gate") == []
    assert found("/gate/") == []
    assert found("/gate/i") == ["api/Gate.java"]


def test_git_that_cannot_answer_is_said(tmp_path: Path) -> None:
    """SEA-FILTER-CUT: when git cannot tell, the answer says so and claims nothing."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def parcel():\n    return 1\n"})
    with desk_on(repo, tmp_path / "data") as robbed:
        robbed.index()
        (repo / ".git" / "objects").rename(tmp_path / "objects")
        (repo / ".git" / "objects").mkdir()
        for name in ("chunkAuthor", "author"):
            query = SearchQuery("parcel", filters=Filters.parse({name: "a"}), freshness="best_effort")
            found = robbed.engine.search(None, query, Call())
            assert found.warnings and not found.complete
            assert found.hits == ()


def test_without_git_nothing_has_an_author(tmp_path: Path) -> None:
    """SEA-FILTER-CUT: in a directory without git a filter by author finds nothing and says why."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.py").write_text("def parcel():\n    return 1\n")
    with desk_on(tmp_path / "repo", tmp_path / "data") as plain:
        plain.index()
        assert ask(plain, "parcel", author="ada") == []
        query = SearchQuery("parcel", filters=Filters.parse({"author": "ada"}), freshness="best_effort")
        assert "git" in plain.engine.search(None, query, Call()).warnings[0]
