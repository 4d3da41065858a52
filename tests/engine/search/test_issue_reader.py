"""Issues: what is read from a pasted text, by the cases in `issue_cases.toml`."""

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from codecompass.engine.search.issue.issue_reader import MAX_CHARS, is_issue, read_issue
from codecompass.engine.search.issue.parts import PART_RULES, Issue
from codecompass.engine.search.issue.traces import FRAME_FORMS
from codecompass.engine.search.query.issue_terms import plan_terms
from codecompass.engine.search.retrieval.query_plan import plan_query
from codecompass.languages.registry import Registry
from codecompass.model.queries.search_query import SearchQuery

CASES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "issue_cases.toml").read_text(encoding="utf-8"))[
    "case"
]


def words_of(issue: Issue, text: str) -> set[str]:
    return set(plan_terms(issue, text, None).words)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_an_issue_is_read_as_its_parts(case: dict[str, Any]) -> None:
    """QUERY-ISSUE: frames, error texts, paths, modules, names and what counts for nothing are told apart."""
    text = case["text"].lstrip("\n")
    assert is_issue(text)
    issue = read_issue(text)
    if "title" in case:
        assert issue.title == case["title"]
    if "frames" in case:
        assert [f"{one.path}:{one.line} {one.function}" for one in issue.frames] == case["frames"]
    for key, kind in (("errors", "error"), ("paths", "path"), ("modules", "module")):
        if key in case:
            assert list(issue.texts(kind)) == case[key]  # type: ignore[arg-type]
    for key, kind in (("names", "name"), ("calls", "call")):
        assert set(case.get(key, ())) <= set(issue.texts(kind))  # type: ignore[arg-type]
    assert not words_of(issue, text) & set(case.get("silent", ()))
    if "ignored" in case:
        assert f"{case['ignored']} lines of the query" in " ".join(issue.notes)
    if "intent" in case:
        assert plan_query(SearchQuery(text), Registry()).intent == case["intent"]


def test_every_language_with_tracebacks_has_a_case() -> None:
    """QUERY-ISSUE: no form of a frame is without a case, but for those of notebooks, test runners and two more."""
    lines = [line for case in CASES for line in case["text"].split("\n")]
    unseen = {form.runtime for form in FRAME_FORMS if not any(form.pattern.search(line) for line in lines)}
    assert unseen <= {"ipython", "pytest", "haskell", "lua"}


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("~/shop/basket.py in save(self, force)", "~/shop/basket.py:0 save"),
        ("shop/basket.py:10: in save", "shop/basket.py:10 save"),
        ("  error, called at src/Shop/Cart.hs:7:3 in shop-0.1:Shop.Cart", "src/Shop/Cart.hs:7 "),
        ("\tshop/cart.lua:7: in function 'add'", "shop/cart.lua:7 add"),
    ],
)
def test_other_forms_of_frames(line: str, place: str) -> None:
    """QUERY-ISSUE: frames of notebooks, test runners, Haskell and Lua."""
    [frame] = read_issue(f"A title\n{line}\n").frames
    assert f"{frame.path}:{frame.line} {frame.function}" == place


def test_the_table_has_a_row_for_each_kind() -> None:
    """QUERY-ISSUE: what a form adds and versions count for nothing."""
    assert {rule.kind for rule in PART_RULES if rule.channel == "none"} == {"template", "version"}
    assert all(rule.words == 0 for rule in PART_RULES if rule.channel == "none")


@pytest.mark.parametrize(
    "query", ["rate limit", 'raised "token expired" while reading', "a -b\nOR c", "File x, line 1"]
)
def test_a_question_is_no_issue(query: str) -> None:
    """QUERY-ISSUE: a question of a line or two keeps its operators."""
    assert not is_issue(query) and plan_query(SearchQuery(query), Registry()).issue is None


def test_what_is_too_long_is_cut_and_said() -> None:
    """QUERY-ISSUE: what is cut is said."""
    issue = read_issue("word " * 6_000)
    assert any(f"{MAX_CHARS:,} of 30,000" in note for note in issue.notes)


@pytest.mark.parametrize(
    "text",
    ["a" * 20_000, "/" * 20_000, "a." * 10_000, "`" * 20_000, '"' * 20_000, "at " * 6_000, "a/" * 10_000, "#" * 20_000,
     "```\n" * 5_000, "<!--" * 5_000, "- [x] " * 3_000, "Error: " * 2_800, "a::" * 6_000, "(" * 20_000, "\t" * 20_000,
     " " * 19_000 + "x", "_" * 20_000, "aA" * 10_000, "Version: " * 2_000],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    """QUERY-ISSUE: reading takes time linear in the text, whatever it is."""
    started = time.process_time()
    read_issue(text)
    assert time.process_time() - started < 1.0
