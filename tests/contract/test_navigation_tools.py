"""The tools that follow a symbol, over a fake engine: payloads field by field, ways to name a symbol, budgets."""

from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.tools import TOOLS
from tests.fake_engine import FakeEngine

BY_NAME = {tool.name: tool for tool in TOOLS}
FOLLOWING = ("find_references", "get_call_graph", "get_symbol_hierarchy")
SYMBOL = {
    "symbol_id": "sym_1", "kind": "fn", "name": "auth.validate", "path": "src/auth.py", "line_start": 3, "line_end": 9,
}  # fmt: skip


def ask(name: str, engine: FakeEngine | None = None, max_bytes: int = 65_536, /, **raw: object) -> dict[str, Any]:
    tool = BY_NAME[name]
    host = Host(engine or FakeEngine(), Defaults(max_response_bytes=max_bytes))
    return render_success(tool.family, tool.run(host, Call(), decode(tool.params, raw))).payload


def test_find_references_payload() -> None:
    """NAV-REFERENCES: place, kind, line text; doubt is said, certainty needs no words."""
    found = ask("find_references", name="validate")
    assert found["symbol"] == {**SYMBOL, "symbol_stable_id": "b3:1", "signature": "def validate(token)"}
    assert found["total_references"] == 2 and found["by_resolution"] == {"resolved": 1, "unresolved": 1}
    assert found["references"] == [
        {
            "path": "src/api.py", "line": 9, "column": 5, "kind": "call", "in": "auth.validate",
            "text": "validate(token)",
        },
        {
            "path": "src/b.py", "line": 2, "column": 1, "kind": "read", "resolution": "unresolved", "candidates": 3,
            "text": "x.validate",
        },
    ]  # fmt: skip
    assert found["metadata"]["result_completeness"] == "complete"


def test_what_is_no_use_is_proved() -> None:
    """NAV-PROOF: with `explain` every mention that is left out stands in the answer with its proof."""
    found = ask("find_references", name="validate", explain=True)
    assert found["excluded"] == {"other_definition": 1, "outside": 1}
    assert [item["proof"] for item in found["excluded_mentions"]] == [
        "It means auth.validate (src/auth.py:3).",
        "It belongs to a module or type that is not in this view: lib.",
    ]
    assert found["excluded_mentions"][0]["reason"] == "other_definition"
    assert "excluded_mentions" not in ask("find_references", name="validate")


def test_files_that_were_not_searched_make_it_partial() -> None:
    """NAV-PROOF: an answer that could not look everywhere says so, with the files."""
    engine = FakeEngine(unread=tuple((f"src/long{number}.py", "truncated") for number in range(7)))
    found = ask("find_references", engine, name="validate")
    assert found["metadata"]["result_completeness"] == "partial"
    assert found["not_searched"]["files"] == 7 and len(found["not_searched"]["first"]) == 5
    assert found["not_searched"]["first"][0] == {"path": "src/long0.py", "reason": "truncated"}


def test_an_unused_symbol_leads_on() -> None:
    """NAV-REFERENCES: no use found is said with what to try next."""
    found = ask("find_references", FakeEngine(total=0), name="validate")
    assert found["references"] == [] and found["suggested_next_actions"][0]["tool"] == "search_code"


def test_columns_count_from_one() -> None:
    """OUT-COLUMNS: what the engine counts from 0 is shown from 1, in uses and in calls."""
    use = ask("find_references", name="validate")["references"][1]
    call = ask("get_call_graph", name="validate")["callers"][0]["call_site"]
    assert (use["column"], call["column"]) == (1, 5)


def test_call_graph_payload() -> None:
    """NAV-CALLS: the far end of each call, its site, its depth; unresolved callees by their name."""
    found = ask("get_call_graph", name="validate", depth=2)
    site = {"path": "src/api.py", "line": 9, "column": 5}
    assert found["callers"] == [{"symbol": SYMBOL, "call_site": site, "resolution": "resolved"}]
    assert found["callees"] == [
        {
            "name": "decode", "call_site": {"path": "src/auth.py", "line": 5, "column": 9}, "depth": 2, "via": "sym_1",
            "resolution": "unresolved",
        }
    ]  # fmt: skip
    assert found["also_named"] == [SYMBOL] and found["total_callers"] == found["total_callees"] == 1
    assert "callees" not in ask("get_call_graph", name="validate", direction="callers")
    assert "callers" not in ask("get_call_graph", name="validate", direction="callees")


def test_hierarchy_payload() -> None:
    """NAV-HIERARCHY: containers, members, and trees of types; those outside by name alone."""
    found = ask("get_symbol_hierarchy", name="validate")
    assert found["containers"] == found["members"] == [SYMBOL]
    assert found["supertypes"] == [{"name": "Base", "resolution": "external"}]
    assert found["subtypes"] == [{**SYMBOL, "children": [{**SYMBOL, "resolution": "ambiguous"}]}]
    assert "subtypes" not in ask("get_symbol_hierarchy", name="validate", direction="up")


@pytest.mark.parametrize("tool", FOLLOWING)
def test_ways_to_name_a_symbol(tool: str) -> None:
    """NAV-TARGET: a name, any handle, or a place; exactly one of them."""
    cases: list[tuple[dict[str, object], SymbolTarget]] = [
        ({"name": "a.b"}, SymbolTarget(name="a.b")),
        ({"name": "a", "path": "x.py"}, SymbolTarget(name="a", path="x.py")),
        ({"symbol_id": "sym_1"}, SymbolTarget(handle="sym_1")),
        ({"symbol_stable_id": "b3:1"}, SymbolTarget(handle="b3:1")),
        ({"result_id": "snip_1"}, SymbolTarget(handle="snip_1")),
        ({"path": "x.py", "line": 3}, SymbolTarget(path="x.py", line=3)),
    ]
    for raw, wanted in cases:
        engine = FakeEngine()
        ask(tool, engine, **raw)
        assert engine.queries[0].target == wanted  # type: ignore[attr-defined]
    wrong: list[dict[str, object]] = [
        {}, {"line": 3}, {"path": "x.py"}, {"name": "a", "symbol_id": "sym_1"}, {"name": "a", "line": 2, "path": "x"},
    ]  # fmt: skip
    for raw in wrong:
        with pytest.raises(Failure, match="Invalid arguments|exactly one|needs") as caught:
            ask(tool, **raw)
        assert caught.value.code == "INVALID_REQUEST" and caught.value.details["violations"]


@pytest.mark.parametrize("tool", FOLLOWING)
def test_answers_fit_their_budget(tool: str) -> None:
    """NAV-BUDGET: what does not fit is cut, and the answer says so."""
    found = ask(tool, FakeEngine(), 1_100, name="validate")
    assert found["metadata"]["result_completeness"] == "truncated"
