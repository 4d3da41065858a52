"""Bundles on a real index: really within their budget, saying what is missing, and on the ref that was asked for."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codecompass
from codecompass.contract.codec import decode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Host
from codecompass.engine.search.ranking.term_coverage import CoverageCandidate, order_by_coverage
from codecompass.model.call import Call
from codecompass.tools import TOOLS
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo
from tests.tokenizer import tokens_in_o200k

TOOL = next(tool for tool in TOOLS if tool.name == "get_code_context")
QUESTIONS = (
    "where is a view published", "how are ignore rules matched", "Resolver", "what happens when a worker dies",
    "def walk", "freshness of the working tree", "engine/search/ranking/scorer.py", "throttle background sync",
)  # fmt: skip


def ask(desk: Desk, **raw: object) -> tuple[dict[str, Any], str]:
    reply = render_success("compass", TOOL.run(Host(desk.engine), Call(), decode(TOOL.params, raw)))
    return reply.payload, reply.body.decode()


@pytest.fixture(scope="module")
def own_source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The package's own source as a repository."""
    root = tmp_path_factory.mktemp("own")
    repo = make_repo(root / "repo", {"README.md": "# Index\n\nHow a view is published and read.\n"})
    for part in ("engine", "repo", "text"):
        source = Path(codecompass.__file__).parent / part
        shutil.copytree(source, repo / "src" / part, ignore=shutil.ignore_patterns("__pycache__"))
    (repo / "tests").mkdir()
    test = "from src.repo.walk import walk\n\n\ndef test_walk():\n    walk(None, None)\n"
    (repo / "tests/test_walk.py").write_text(test)
    with desk_on(repo, root / "data", workers=2) as desk:
        desk.index()
        yield desk


@pytest.mark.parametrize("budget", [500, 1_000, 4_000, 20_000])
def test_a_bundle_stays_within_its_tokens(own_source: Desk, budget: int) -> None:
    """NAV-CONTEXT: the whole answer, as a real tokenizer counts it, costs no more than allowed, and uses it well."""
    used = []
    for question in QUESTIONS:
        found, body = ask(own_source, query=question, max_tokens=budget)
        assert found["items"], question
        assert tokens_in_o200k(body) <= found["estimated_tokens"] <= budget, question
        used.append(tokens_in_o200k(body) / budget)
    if budget in (1_000, 4_000):
        assert sorted(used)[len(used) // 2] > (0.8 if budget == 1_000 else 0.88)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(question=st.sampled_from(QUESTIONS), budget=st.integers(500, 16_000))
def test_no_budget_is_exceeded(own_source: Desk, question: str, budget: int) -> None:
    """NAV-CONTEXT-BUDGET: whatever is asked for, nothing is shown twice, and fields are not explained by accessors."""
    found, body = ask(own_source, query=question, max_tokens=budget)
    assert tokens_in_o200k(body) <= budget
    codes = [item["code"] for item in found["items"]]
    assert len(codes) == len(set(codes))


def test_accessors_and_copies_are_not_worth_tokens(tmp_path: Path) -> None:
    """NAV-CONTEXT-BUDGET: a getter and a second copy of the same code are left out for code that says something."""
    body = "    def invoice_total(self):\n        return sum(line.price for line in self.invoice_lines)\n"
    getter = "    def invoice(self):\n        return self._invoice\n"
    files = {f"shop{number}.py": f"class Invoice:\n{getter}\n{body}" for number in (1, 2)}
    with desk_on(make_repo(tmp_path / "repo", files), tmp_path / "data", workers=1) as desk:
        desk.index()
        found, _ = ask(desk, query="invoice total", max_tokens=600, sections=["definitions"])
    codes = [item["code"] for item in found["items"]]
    assert any("sum(" in code for code in codes) and len(codes) == len(set(codes))
    assert not any(code.strip() == getter.strip() for code in codes)


def test_what_is_missing_is_said(own_source: Desk) -> None:
    """NAV-CONTEXT: things left out are counted and the first of them named; the answer is then not called complete."""
    found, _ = ask(own_source, query="how are ignore rules matched", max_tokens=1_000)
    assert found["left_out"]["count"] >= len(found["left_out"]["first"]) > 0
    assert found["metadata"]["result_completeness"] == "truncated"
    assert {"section", "path", "line"} <= found["left_out"]["first"][0].keys()


def test_sections_hold_what_they_say(own_source: Desk) -> None:
    """NAV-CONTEXT: definitions, callers, tests and docs each in their section, with the reason for each."""
    found, _ = ask(own_source, query="walk", max_tokens=8_000)
    sections = {item["section"] for item in found["items"]}
    assert {"definitions", "tests"} <= sections
    assert all(item["why"] for item in found["items"])
    assert all("test" in item["path"] for item in found["items"] if item["section"] == "tests")
    only, _ = ask(own_source, query="walk", max_tokens=8_000, sections=["tests"])
    assert {item["section"] for item in only["items"]} == {"tests"}


def test_code_is_what_stands_in_the_file(own_source: Desk) -> None:
    """NAV-CONTEXT: whole pieces are the very lines they name."""
    root = Path(own_source.engine.options.default_workspace or "")
    found, _ = ask(own_source, query="freshness of the working tree", max_tokens=6_000)
    whole = [item for item in found["items"] if "left out" not in item["code"] and "\n" in item["code"]]
    shown = 0
    for item in whole:
        lines = (root / item["path"]).read_text().split("\n")[item["line_start"] - 1 : item["line_end"]]
        shown += item["code"] == "\n".join(lines)
    assert shown >= 2


def test_a_bundle_belongs_to_its_ref(tmp_path: Path) -> None:
    """NAV-CONTEXT, NAV-REFS: code of another branch never enters."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def parse_invoice(text):\n    return text.strip()\n"})
    git(repo, "checkout", "-qb", "other")
    commit(repo, {"a.py": "def parse_invoice(text):\n    return text.upper()\n"})
    git(repo, "checkout", "-q", "-")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("other")
        here, _ = ask(desk, query="parse invoice")
        there, _ = ask(desk, query="parse invoice", ref="other")
    assert "strip" in here["items"][0]["code"] and "upper" in there["items"][0]["code"]


def _lookalikes() -> str:
    """Many methods whose names say most words of the question, and one helper that says the word that matters."""
    rows = [
        f"    def get_cookie_session_{word}(self, app):\n        '''The {word} of the session cookie.'''\n"
        f"        return app.config['SESSION_COOKIE_{word.upper()}']\n"
        for word in ("name", "path", "domain", "secure", "httponly", "samesite", "partition", "lifetime", "expiry")
    ]
    saving = (
        "    def save_session_cookie(self, app, session):\n        '''Write the session into its cookie.'''\n"
        "        helper = make_signing_helper(app)\n        app.set_cookie('session', helper.dumps(session))\n"
    )
    filler = "".join(f"    # step {at} of the helper\n    value_{at} = app.part({at})\n" for at in range(12))
    helper = f"def make_signing_helper(app):\n{filler}    return Serializer(app.secret_key)\n"
    return f"{helper}\n\nclass SessionCookieInterface:\n{chr(10).join([*rows, saving])}"


@pytest.mark.parametrize("question", ["how is the session cookie signed", "how does it sign the session cookie"])
def test_every_word_of_a_question_finds_its_code(tmp_path: Path, question: str) -> None:
    """NAV-CONTEXT-WORDS: what a found place calls, named by a form of a word that no better place says, has room."""
    repo = make_repo(tmp_path / "repo", {"src/sessions.py": _lookalikes()})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        found, _ = ask(desk, query=question, max_tokens=900)
    names = [item.get("name", "") for item in found["items"]]
    assert "sessions.make_signing_helper" in names, names


def test_the_order_spreads_over_the_words() -> None:
    """NAV-CONTEXT-WORDS: the best stays first, then a new word counts more than a bit of worth, and only once."""
    rows = [(0.60, "a b"), (0.59, "a"), (0.58, "b"), (0.55, "c"), (0.54, "c"), (0.10, "d")]
    choices = [CoverageCandidate(worth, frozenset(words.split()), number) for number, (worth, words) in enumerate(rows)]
    shares = dict.fromkeys("abcd", 0.25)
    assert [choice.item for choice in order_by_coverage(choices, shares)] == [0, 3, 1, 2, 4, 5]
