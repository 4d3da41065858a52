"""The tool `search` on a real index: lists by kind of text, bundles, output, budget, and what it refuses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.families import render_failure, render_success
from codecompass.contract.filter_params import FILTER_TYPES
from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Defaults, Host
from codecompass.embed.models import ModelChoice
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.filters import FILTERS, VALUE_PARSERS
from codecompass.tools import TOOLS
from tests.engine.support import Desk, desk_on
from tests.fake_engine import READY
from tests.repo.gitrepo import make_repo

TOOL = next(tool for tool in TOOLS if tool.name == "search")
CODE = '''"""Orders of the shop."""


def total_price(order):
    """Adds up the prices of an order and every tax on it."""
    # round late, never early
    return sum(line.price for line in order)


class Order:
    def cancel(self):
        return total_price(self)
'''
FILES = {
    "src/orders.py": CODE,
    "src/tax.go": "package tax\n\n// Rate is the price of living.\nfunc Rate() int { return 7 }\n",
    "docs/prices.md": "# Prices\n\nHow the total price of an order is made.\n",
    "logs/run.log": "2026-01-01T00:00:00 ERROR total price of order 7 is negative\n",
}
COMPACT = {
    "id", "file", "start", "end", "startLine", "endLine", "ext", "kind", "name", "headline", "score", "scoreType",
    "sparseScore", "sparseType",
}  # fmt: skip
HIT_LISTS = ("code", "prose", "extractedProse", "records")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("search")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as made:
        made.index()
        yield made


def ask(desk: Desk, max_bytes: int = 65_536, /, **raw: object) -> dict[str, Any]:
    host = Host(desk.engine, Defaults(freshness_policy="best_effort", max_response_bytes=max_bytes))
    return render_success(TOOL.family, TOOL.run(host, Call(), decode(TOOL.params, raw))).payload


def test_every_filter_is_a_parameter_of_its_kind() -> None:
    """SEARCH-PARAMS: the rows of the table and the fields of the tool are the same, and so are the kinds of values."""
    properties = input_schema(TOOL.params)["properties"]
    assert [name for name in properties if name in {row.field for row in FILTERS}] == [row.field for row in FILTERS]
    own = "query repoPath mode backend output ann top cursor context branch case caseFile caseTokens explain".split()
    assert list(properties) == own + [row.field for row in FILTERS]
    assert set(FILTER_TYPES) == set(VALUE_PARSERS)
    assert all(rule.get("description") for name, rule in properties.items() if name not in own)


@pytest.mark.parametrize(
    ("mode", "filled"),
    [
        (None, {"code", "prose", "extractedProse"}),
        ("code", {"code"}),
        ("prose", {"prose"}),
        ("extracted-prose", {"extractedProse"}),
        ("records", {"records"}),
        ("all", set(HIT_LISTS)),
        ("both", {"code", "prose"}),
    ],
)
def test_each_mode_fills_its_own_lists(desk: Desk, mode: str | None, filled: set[str]) -> None:
    """SEARCH-MODES: what was not asked for stays empty, and every hit stands in the list of its kind of text."""
    payload = ask(desk, query="price", **({"mode": mode} if mode else {}))
    assert {name for name in HIT_LISTS if payload[name]} == filled
    assert set(payload["stats"]["modes"]) == filled
    homes = {"code": {"src/orders.py", "src/tax.go"}, "prose": {"docs/prices.md"}, "records": {"logs/run.log"},
             "extractedProse": {"src/orders.py", "src/tax.go"}}  # fmt: skip
    for name in filled:
        assert {hit["file"] for hit in payload[name]} <= homes[name]


def test_a_compact_hit_has_the_documented_fields(desk: Desk) -> None:
    """SEARCH-COMPACT: exactly those; lines count from 1, offsets are bytes of the text, scores lie in 0..1."""
    hit = ask(desk, query="total_price", mode="code", top=1)["code"][0]
    assert set(hit) == COMPACT
    assert (hit["file"], hit["kind"], hit["name"], hit["ext"]) == ("src/orders.py", "fn", "total_price", ".py")
    assert hit["headline"] == "Adds up the prices of an order"
    assert CODE.encode()[hit["start"] : hit["end"]].decode().startswith("def total_price")
    assert CODE.split("\n")[hit["startLine"] - 1].startswith("def total_price")
    assert 0 < hit["score"] <= 1


def test_full_and_json_have_all_metadata(desk: Desk) -> None:
    """SEARCH-OUTPUT: full and json are the same, and tell every fact; neither is in compact."""
    full = ask(desk, query="total_price", mode="code", top=1, output="full")
    assert full == ask(desk, query="total_price", mode="code", top=1, output="json")
    hit = full["code"][0]
    assert set(hit) > COMPACT
    assert hit["signature"] == "def total_price(order)" and hit["lang"] == "python"
    assert hit["docmeta"]["parameters"] == [{"name": "order"}] and "sum" in hit["docmeta"]["calls"]
    assert hit["last_author"] and hit["churn"] > 0
    assert "return sum" in hit["snippet"]


def test_context_lines_stand_around_a_hit(desk: Desk) -> None:
    """SEARCH-CONTEXT: so many lines before and after, none without asking, none beyond the ends of the file."""
    hit = ask(desk, query="total_price", mode="code", top=1, context=2)["code"][0]
    lines = CODE.split("\n")
    assert hit["context"]["before"] == lines[hit["startLine"] - 3 : hit["startLine"] - 1]
    assert hit["context"]["lines"] == lines[hit["startLine"] - 1 : hit["endLine"]]
    assert hit["context"]["after"] == lines[hit["endLine"] : hit["endLine"] + 2]
    log = ask(desk, query="negative", mode="records", context=50)["records"][0]
    assert log["context"]["before"] == [] == log["context"]["after"] and "negative" in log["context"]["lines"][0]
    assert "context" not in ask(desk, query="total_price", mode="code", top=1)["code"][0]


def test_a_long_hit_shows_the_lines_that_match(tmp_path: Path) -> None:
    """SEARCH-CONTEXT: the line that was found is among the lines shown, and what is left out is counted."""
    rows = "".join(f"    value_{number} = {number}\n" for number in range(90))
    body = f"def long_one():\n{rows[:1400]}\n    return 'zanzibar spice'\n"
    with desk_on(make_repo(tmp_path / "repo", {"long.py": body}), tmp_path / "data") as made:
        made.index()
        hit = ask(made, query="zanzibar spice", mode="code", top=1, context=1)["code"][0]
        shown = hit["context"]["lines"]
        assert any("zanzibar spice" in line for line in shown)
        missing = sum(int(line.split()[1]) for line in (shown[0], shown[-1]) if line.startswith("… "))
        kept = [line for line in shown if not line.startswith("… ")]
        assert missing + len(kept) == hit["endLine"] - hit["startLine"] + 1 and missing > 0


def test_bundles_are_the_hits_by_file(desk: Desk) -> None:
    """SEARCH-BUNDLES: every hit once, under its file, the files with most score first."""
    payload = ask(desk, query="price", mode="all")
    groups = payload["bundles"]["groups"]
    assert payload["bundles"]["schemaVersion"] == 1
    entries = [(hit["mode"], hit["index"]) for group in groups for hit in group["hits"]]
    assert sorted(entries) == sorted((name, index) for name in HIT_LISTS for index in range(len(payload[name])))
    for group in groups:
        assert group["hitCount"] == len(group["hits"]) and group["modeCount"] == len(group["modes"])
        assert group["totalScore"] == pytest.approx(sum(hit["score"] for hit in group["hits"]), abs=1e-3)
        for hit in group["hits"]:
            assert payload[hit["mode"]][hit["index"]]["id"] == hit["id"] and hit["file"] == group["file"]
    assert [group["totalScore"] for group in groups] == sorted((g["totalScore"] for g in groups), reverse=True)


def test_top_cuts_each_list_and_says_so(desk: Desk) -> None:
    """SEARCH-TOP: the first ones of the same order; what was left out is counted."""
    many, one = ask(desk, query="price", mode="code"), ask(desk, query="price", mode="code", top=1)
    assert one["code"] == many["code"][:1] and len(many["code"]) > 1
    assert one["stats"]["modes"]["code"]["completeness"] == "truncated"
    assert one["stats"]["modes"]["code"]["total"] == many["stats"]["modes"]["code"]["total"]


def test_the_byte_budget_is_kept_and_said(desk: Desk) -> None:
    """C-BYTE-BUDGET: the worst places go first, every answer fits, and a warning says that it was cut."""
    whole = ask(desk, query="price", mode="all", output="full", context=5)
    for most in (2_500, 4_000, 6_000):
        cut = ask(desk, most, query="price", mode="all", output="full", context=5)
        assert len(encode(cut)) <= most
        assert any("cut" in warning for warning in cut["warnings"])
        assert "truncated" in {row["completeness"] for row in cut["stats"]["modes"].values()}
        for name in HIT_LISTS:
            assert cut[name] == whole[name][: len(cut[name])]
    assert "warnings" not in whole


def test_explain_adds_the_numbers_behind_the_score(desk: Desk) -> None:
    """SEARCH-EXPLAIN: the very score that was given, and what it was made of."""
    hit = ask(desk, query="total_price", mode="code", top=1, explain=True)["code"][0]
    assert hit["scoreBreakdown"]["selected"]["score"] == hit["score"]
    assert hit["scoreBreakdown"]["sparse"]["score"] == hit["sparseScore"]
    assert "scoreBreakdown" not in ask(desk, query="total_price", mode="code", top=1)["code"][0]


def test_without_vectors_the_words_answer_and_it_is_said(desk: Desk) -> None:
    """SEARCH-ANN: no model is no error; the flag is false and a warning says why, where vectors were asked for."""
    plain, asked = ask(desk, query="price"), ask(desk, query="price", ann=True)
    assert asked.pop("warnings") and "warnings" not in plain
    assert asked == plain and plain["stats"]["annAvailable"] is False
    assert ask(desk, query="price", ann=False) == plain


def test_with_vectors_the_flag_decides_whether_meaning_counts(tmp_path: Path) -> None:
    """SEARCH-ANN: by default, and for null, what is near in meaning counts; with false the words answer alone."""

    def nearness(found: dict[str, Any]) -> list[float]:
        assert found["stats"]["annAvailable"] is True and "warnings" not in found
        return [hit["scoreBreakdown"]["ann"]["score"] for hit in found["code"]]

    with desk_on(make_repo(tmp_path / "repo", FILES), tmp_path / "data", embedding=ModelChoice()) as desk:
        desk.index()
        plain = ask(desk, query="total price of an order", mode="code", explain=True)
        assert any(nearness(plain))
        assert not any(nearness(ask(desk, query="total price of an order", mode="code", explain=True, ann=False)))
        for same in (True, None):
            assert ask(desk, query="total price of an order", mode="code", explain=True, ann=same) == plain


@pytest.mark.parametrize(
    ("shorthand", "filters"),
    [
        ("price lang:go", {"lang": "go"}),
        ("price path:orders", {"path": "orders"}),
        ('price type:"function"', {"type": "function"}),
        ("price -path:tax", None),
        ("price (path:tax OR path:orders)", {"path": ["tax", "orders"]}),
    ],
)
def test_shorthands_are_the_filters(desk: Desk, shorthand: str, filters: dict[str, object] | None) -> None:
    """Q-FIELDS: field:value in the query narrows as the argument does; excluded and joined ones too."""
    found = {hit["id"] for hit in ask(desk, query=shorthand, mode="code")["code"]}
    assert found
    if filters is None:
        assert not any(hit["file"] == "src/tax.go" for hit in ask(desk, query=shorthand, mode="code")["code"])
    else:
        assert found == {hit["id"] for hit in ask(desk, query="price", mode="code", **filters)["code"]}


@pytest.mark.parametrize(
    "raw",
    [
        {"query": " "}, {}, {"query": "x", "top": 101}, {"query": "x", "mode": "everything"},
        {"query": "x", "backend": "memory"}, {"query": "x", "output": "xml"}, {"query": "x", "context": -1},
        {"query": "x", "type": "nonsense"}, {"query": "x", "author": " "}, {"query": "x", "path": []},
        {"query": "x", "loopsMin": -1}, {"query": "x", "modifiedAfter": "yesterday"}, {"query": "x", "async": "true"},
        {"query": "x", "metaJson": "{"}, {"query": "x", "lang": None}, {"query": "x", "unknown": 1},
    ],
)  # fmt: skip
def test_nonsense_is_refused(desk: Desk, raw: dict[str, object]) -> None:
    """C-ARGS-STRICT: as an error of the protocol that lists every violation."""
    with pytest.raises(Failure) as caught:
        ask(desk, **raw)
    reply = render_failure(TOOL.family, caught.value, READY)
    assert reply.rpc_error is not None and reply.rpc_error.code == -32602
    assert reply.rpc_error.data["code"] == "INVALID_REQUEST" and reply.rpc_error.data["details"]


def test_refusals_that_only_the_engine_knows(desk: Desk) -> None:
    """SEARCH-ERRORS: an unknown language and an unknown branch are said in the family's words."""
    with pytest.raises(Failure) as language:
        ask(desk, query="x", lang="klingon")
    assert language.value.code == "INVALID_REQUEST" and language.value.details["violations"]
    with pytest.raises(Failure) as branch:
        ask(desk, query="x", branch="no-such-branch")
    assert branch.value.error_code.cleats == "NOT_FOUND"
    with pytest.raises(Failure) as backend:
        ask(desk, query="x", backend="sqlite")
    assert backend.value.code in ("NO_INDEX", "CAPABILITY_MISSING") and backend.value.effective_hint


def test_nothing_indexed_is_an_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    """SEARCH-ERRORS: NO_INDEX, with the way out."""
    base = tmp_path_factory.mktemp("bare")
    with desk_on(make_repo(base / "repo", {"a.py": "x = 1\n"}), base / "data") as made:
        made.engine.init(str(base / "repo"))
        with pytest.raises(Failure) as caught:
            ask(made, query="x")
    assert caught.value.code == "NO_INDEX" and caught.value.effective_hint


def test_a_query_answered_loosely_says_so(desk: Desk) -> None:
    """Q-RELAXED: in the numbers of the list and in a warning."""
    payload = ask(desk, query="rounding price negative", mode="code")
    assert payload["stats"]["modes"]["code"]["relaxed"] and payload["warnings"]
