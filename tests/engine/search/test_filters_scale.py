"""Filters never starve: the rarest definition is found however common the words are, and common ones cost little."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.search.pipeline import MIN_RANKED, SearchOutcome, search
from codecompass.model.call import Call
from codecompass.model.queries.filters import Filters
from codecompass.model.queries.search_query import SearchQuery
from tests.engine.support import Desk, desk_on

FILES = 3_000
ODD = 1_777
"""The number of the one file that has what no other has."""


def _source(number: int) -> str:
    plain = (
        f"async def wait_{number}(parcel):\n    return parcel\n\n\n"
        f"def walk_{number}(parcel):\n    for one in parcel:\n        keep(one)\n"
    )
    if number != ODD:
        return plain
    return plain + (
        "\n\n@sealed\nasync def odd_parcel(parcel: Fraction) -> Rarity:\n"
        "    for one in parcel:\n        for two in one:\n            for three in two:\n"
        "                raise PeculiarFailure(three)\n"
        "    subprocess.run(input(), shell=True)\n"
    )


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("many")
    root: Path = base / "repo"
    for number in range(FILES):
        path = root / f"d{number % 30}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_source(number))
    with desk_on(root, base / "data", workers=2, lint_rules="") as made:
        made.index()
        yield made


def _search(desk: Desk, text: str, /, **filters: object) -> SearchOutcome:
    project = desk.engine._projects.open_for_query(None)
    query = SearchQuery(text, filters=Filters.parse(filters))
    with project.open_view("live") as view:
        index, call = get_path_index(project, view), Call()
        return search(view, index, query, call, project.reader(view), lambda: project.history(view, call))


def _names(found: SearchOutcome, limit: int = 10) -> list[str]:
    return [item.symbol.definition.name for item in found.ranked[:limit] if item.symbol]


@pytest.mark.parametrize(
    "filters",
    [
        {"loopsMin": 3},
        {"throws": "peculiar"},
        {"decorator": "sealed"},
        {"returnType": "rarity"},
        {"inferredType": "fraction"},
        {"risk": "command-exec"},
        {"path": f"m{ODD}.py", "calls": "subprocess.run"},
    ],
)
def test_rare_definition_is_found_with_little_work(desk: Desk, filters: dict[str, object]) -> None:
    """SEA-FILTER-RARE: one definition among thousands of files that all have the word is found, and few are opened."""
    found = _search(desk, "parcel", **filters)
    assert _names(found) == ["odd_parcel"]
    assert found.complete and found.total == 1
    assert found.opened_blobs <= 5


def test_rare_by_two_common_facts(desk: Desk) -> None:
    """SEA-FILTER-RARE: every file has both facts, one definition has both at once: it is found all the same."""
    found = _search(desk, "parcel", **{"async": True, "loopsMin": 1})
    assert _names(found) == ["odd_parcel"]
    assert found.complete and found.total == 1


@pytest.mark.parametrize("filters", [{"type": "function"}, {"param": "parcel"}, {"async": True}, {"lang": "python"}])
def test_common_filter_opens_few(desk: Desk, filters: dict[str, object]) -> None:
    """SEA-FILTER-COMMON: enough answers are found after looking into about as many contents as are ranked."""
    found = _search(desk, "parcel", **filters)
    assert len(_names(found)) == 10
    assert found.opened_blobs <= 3 * MIN_RANKED
    assert not found.complete and found.total >= 10


def test_nothing_passes(desk: Desk) -> None:
    """SEA-FILTER-RARE: a filter that nothing passes opens nothing and says that the answer is whole."""
    found = _search(desk, "parcel", throws="NeverThrown")
    assert not found.ranked and found.complete and found.opened_blobs == 0
