"""Every filter narrows to exactly the right definitions, and refuses what is no value of it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from codecompass.engine.search.filters.predicates import PREDICATES
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.filters import FILTERS, VALUE_PARSERS, Filters
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import SearchQuery
from codecompass.text.tokens import split_identifier
from tests.engine.search.polyglotlab import ask, found, said, sources
from tests.engine.support import Desk

CASES: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "filter_cases.toml").read_text())
FIELDS = [row.field for row in FILTERS]
NONSENSE: dict[str, tuple[Any, ...]] = {
    "text": ("", "   ", 5, True, None, [], ["a"], {}, "x" * 501),
    "words": ("", " , ", 5, None, ["a"], "a,,b"),
    "texts": ("", [], [""], 5, None, [None], {}, ["a"] * 101),
    "count": (-1, 1.5, "3", True, None, []),
    "days": (-1, "3", True, None, float("nan"), float("inf")),
    "date": ("soon", "2026-13-01", "", 2026, None, True),
    "flag": ("true", 1, 0, None, ""),
    "meta": ("", None, [], 5, {}, [5], {"key": None}, "=value"),
    "json": ("", None, "{", "[]", "5", 5, {}, [5], {"key": None}),
}
WRONG: dict[str, tuple[Any, ...]] = {
    "type": ("gizmo", "class,gizmo"),
    "visibility": ("friendly",),
    "lang": ("klingon", "py,klingon"),
    "path": ("/(/", "/a(?=b)/", "src/{a,b"),
    "file": ("/[/", ["ok", "/(/"]),
    "ext": ("a/b", ".", "*"),
}


def test_table_and_predicates_and_cases_agree() -> None:
    """SEA-FILTER-TABLE: each row of the table has one predicate, one case and a known shape, and nothing else has."""
    assert sorted(PREDICATES) == sorted(FIELDS) == sorted(CASES)
    assert len(set(FIELDS)) == len({row.flag for row in FILTERS}) == len(FILTERS) == 42
    assert {row.kind for row in FILTERS} == set(VALUE_PARSERS) == set(NONSENSE)


@pytest.mark.parametrize("field", FIELDS)
def test_narrows_to_exactly_the_right_definitions(polyglot: Desk, field: str) -> None:
    """SEA-FILTER-EXACT: a value finds these and no others, another finds none, two filters find what both allow."""
    case = CASES[field]
    assert found(polyglot, **{field: case["value"]}) == set(case["finds"])
    assert found(polyglot, **case["none"]) == set()
    assert found(polyglot, **case["both"]) == set(case["narrowed"])


@pytest.mark.parametrize("field", FIELDS)
def test_narrows_what_words_find(polyglot: Desk, field: str) -> None:
    """SEA-FILTER-WORDS: with words the same filters find definitions that have both, and nothing without the fact."""
    case = CASES[field]
    texts = sources()
    wanted = {
        said(hit)
        for hit in ask(polyglot, **{field: case["value"]})
        if hit.kind in ("fn", "method")
        and "parcel" in split_identifier("\n".join(texts[hit.path].split("\n")[hit.line_start - 1 : hit.line_end]))
    }
    with_words = found(polyglot, "parcel", **{field: case["value"]})
    assert wanted <= with_words
    if any(":" in name for name in case["finds"]):
        assert with_words <= set(case["finds"])
    else:
        assert {name.partition(":")[0] for name in with_words} == set(case["finds"])
    assert found(polyglot, "parcel", **case["none"]) == set()


@pytest.mark.parametrize("field", FIELDS)
def test_refuses_nonsense(polyglot: Desk, field: str) -> None:
    """SEA-FILTER-STRICT: what is no value of a filter is refused by name; blank, null and empty are no values."""
    kind = next(row.kind for row in FILTERS if row.field == field)
    for value in (*NONSENSE[kind], *WRONG.get(field, ())):
        with pytest.raises(Failure) as caught:
            ask(polyglot, "parcel", **{field: value})
        assert caught.value.code == "INVALID_REQUEST", value
        violations = caught.value.details["violations"]
        assert isinstance(violations, list)
        assert [item["instancePath"] for item in violations] == [f"/{field}"], value


@pytest.mark.parametrize("field", [row.field for row in FILTERS if row.kind == "count"])
def test_a_number_that_nothing_reaches_finds_nothing(polyglot: Desk, field: str) -> None:
    """SEA-FILTER-STRICT: however large it is, as an argument and in the query, it is no failure."""
    for number in (2**63, 10**30, 10**400):
        assert not found(polyglot, "parcel", **{field: number})
        assert not found(polyglot, f"parcel {field}:{number}")


def test_all_violations_are_listed() -> None:
    """SEA-FILTER-STRICT: one refusal names every wrong value and every unknown filter."""
    with pytest.raises(Failure) as caught:
        Filters.parse({"type": "gizmo", "colour": "red", "loopsMin": -1, "lang": "py"})
    violations = caught.value.details["violations"]
    assert isinstance(violations, list)
    assert sorted(item["instancePath"] for item in violations) == ["/colour", "/loopsMin", "/type"]
    assert "class" in caught.value.details["violations"][1]["message"]  # type: ignore[index]


def test_unknown_language_names_its_neighbours(polyglot: Desk) -> None:
    """SEA-FILTER-STRICT: a language nobody knows is refused with those that are spelled alike."""
    with pytest.raises(Failure, match="typescript"):
        ask(polyglot, lang="typoscript")


@pytest.mark.parametrize("callee", ["join", "path.join", "os.path.join"])
def test_callee_by_its_last_components(polyglot: Desk, callee: str) -> None:
    """SEA-FILTER-EXACT: a callee is meant as written or by its last names, whole."""
    assert found(polyglot, calls=callee) == {"app/depot.py:fetch"}


def test_callee_as_its_language_writes_it(polyglot: Desk) -> None:
    """SEA-FILTER-EXACT: signs between the names of a chain are those of the language."""
    assert found(polyglot, calls="HashMap::new") == {"core/parcel.rs:weigh"}


def test_imports_of_a_language_that_names_no_use(polyglot: Desk) -> None:
    """SEA-FILTER-EXACT: where no use of an import can be known, it counts for all definitions of the file."""
    assert found(polyglot, **{"import": "stdio.h", "type": "fn"}) == {"sys/box.c:box_parcel"}


@pytest.mark.parametrize(
    ("pattern", "hits"),
    [
        ("*.rs", {"core/parcel.rs"}),
        ("s?te", {"site/mail.php"}),
        ("{srv,sys}/*", {"srv/route.go", "sys/box.c"}),
        ("**/b*.c", {"sys/box.c"}),
        ("l[i]b/**", {"lib/post.rb"}),
        ("[!a-r]*/*.go", {"srv/route.go"}),
        ("/R[a-z]UTE/", {"srv/route.go"}),
        ("Gate", {"api/Gate.java"}),
        ("gate", {"api/Gate.java"}),
        ("api/", {"api/Gate.java"}),
    ],
)
def test_patterns_of_paths(polyglot: Desk, pattern: str, hits: set[str]) -> None:
    """SEA-FILTER-PATHS: a pattern is a part of the path, a glob or an expression, in any case."""
    assert found(polyglot, path=pattern) == hits


def test_outside_text_is_a_unit(polyglot: Desk) -> None:
    """SEA-FILTER-UNITS: text outside definitions passes by its own facts and not by those of the definitions."""
    assert "web/legacy.js:-" in found(polyglot, mutates="module.exports")
    assert found(polyglot, mutates="module.exports", type="function") == set()


def test_a_class_passes_by_its_own_traits(polyglot: Desk) -> None:
    """SEA-FILTER-UNITS: what members do is no trait of their class."""
    assert found(polyglot, throws="LookupError") == {"app/depot.py:fetch"}


def test_modes_keep_their_lists(polyglot: Desk) -> None:
    """SEA-MODES: each file is in one mode; what is written inside code is found as extracted prose."""
    files = {mode: {said(hit).partition(":")[0] for hit in ask(polyglot, "parcel", mode)} for mode in
             ("code", "prose", "records")}  # fmt: skip
    assert files["prose"] == {"docs/parcels.md"}
    assert files["records"] == {"logs/run.txt"}
    assert not files["code"] & (files["prose"] | files["records"])
    assert "app/depot.py" in files["code"]
    spoken = found(polyglot, "parcel", "extracted-prose")
    assert "web/cart.ts:addParcel" in spoken
    assert "app/depot.py:traced" in spoken
    assert not {name for name in spoken if name.startswith(("docs/", "logs/"))}
    assert "web/cart.ts:reset" not in spoken


def test_filters_alone_list_comments_where_there_are_some(polyglot: Desk) -> None:
    """SEA-MODES: without words too, extracted prose is what has comments or documentation."""
    spoken = found(polyglot, "", "extracted-prose", lang="ts,python", type="function")
    assert spoken == {"app/depot.py:traced", "web/cart.ts:addParcel"}


def test_explanation_of_what_a_filter_leaves_out(polyglot: Desk) -> None:
    """SEA-FILTER-WORDS: asked why a result is missing, the answer names the filters."""
    query = SearchQuery("parcel", filters=Filters.parse({"type": "class"}), freshness="best_effort")
    with pytest.raises(Failure) as caught:
        polyglot.engine.explain(None, query, SymbolTarget(name="careless"), Call())
    assert caught.value.details["reason"] == "filtered"
    method = SearchQuery("parcel", filters=Filters.parse({"lint": True}), freshness="best_effort")
    assert polyglot.engine.explain(None, method, SymbolTarget(name="careless"), Call()).standing.hit.name == "careless"
