"""The tools over a fake engine: payloads field by field, shaping, budgets, suggestions."""

from dataclasses import replace
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import LocateQuery, SearchQuery
from codecompass.tools import TOOLS
from tests.fake_engine import EMPTY, HIT, FakeEngine

BY_NAME = {tool.name: tool for tool in TOOLS}


def ask(
    tool_name: str, engine: FakeEngine | None = None, defaults: Defaults | None = None, /, **raw: object
) -> dict[str, Any]:
    tool = BY_NAME[tool_name]
    host = Host(engine or FakeEngine(), defaults or Defaults())
    return render_success(tool.family, tool.run(host, Call(), decode(tool.params, raw))).payload


def test_job_tools() -> None:
    """C-PAYLOAD-003: a started job, with nulls where the document shows them."""
    assert ask("index_repo").items() >= {"job_id": "job_2", "status": "running", "file_count": None}.items()
    assert ask("index_repo", FakeEngine(state=EMPTY))["mode"] == "full"
    assert ask("index_repo")["mode"] == "incremental"
    assert ask("index_repo", force=True)["mode"] == "full"
    synced = ask("sync_repo")
    assert synced["mode"] == "incremental" and synced["changed_files"] is None
    assert ask("sync_repo", force=True)["mode"] == "full"


def test_locate_symbol_payload() -> None:
    """C-PAYLOAD-003, C-HANDLES, C-SCORES: the documented fields of one result."""
    payload = ask("locate_symbol", name="validate")
    assert payload["total_candidates"] == 1
    assert payload["results"] == [
        {
            "symbol_id": "sym_1", "symbol_stable_id": "b3:1", "path": "src/auth.py", "line_start": 3, "line_end": 9,
            "kind": "fn", "name": "validate", "qualified_name": "auth.validate", "signature": "def validate(token)",
            "language": "python", "visibility": "public", "score": 0.9512,
        }
    ]  # fmt: skip


def test_search_code_payload() -> None:
    """C-PAYLOAD-003, C-HANDLES: symbols carry both handles, others result_id; intent and total stand beside them."""
    snippet = replace(HIT, result_type="snippet", result_id="snip_1")
    loose = replace(snippet, symbol_id="", symbol_stable_id="")
    file = replace(loose, result_type="file", result_id="file_1", snippet="")
    engine = FakeEngine(hits=(HIT, snippet, loose, file))
    payload = ask("search_code", engine, query="validate")
    handles = [[key for key in result if key.endswith("_id")] for result in payload["results"]]
    both = ["symbol_id", "symbol_stable_id"]
    assert handles == [both, ["result_id", *both], ["result_id"], ["result_id"]]
    assert [result["result_type"] for result in payload["results"]] == ["symbol", "snippet", "snippet", "file"]
    assert payload["query_intent"] == "symbol" and payload["total_candidates"] == 4
    assert "debug" not in payload
    debug = ask("search_code", engine, Defaults(debug=True), query="validate")["debug"]
    assert debug == {"join_status": {"hits": 2, "misses": 1}}, "a whole file is not joined to a symbol"


def test_a_snippet_has_the_documented_fields() -> None:
    """C-PAYLOAD-003: those of the example in the document, no more and no less."""
    engine = FakeEngine(hits=(replace(HIT, result_type="snippet", result_id="snip_1"),))
    assert set(ask("search_code", engine, query="x")["results"][0]) == {
        "result_id", "symbol_id", "symbol_stable_id", "result_type", "path", "line_start", "line_end", "kind", "name",
        "qualified_name", "language", "score", "snippet",
    }  # fmt: skip


def test_explain_ranking_payload() -> None:
    """C-EXPLAIN-RANKING: the result with each factor's value, weight and share, and what stands before it."""
    engine = FakeEngine()
    payload = ask("explain_ranking", engine, query="x", path="src/auth.py", line=3)
    assert payload["scoring"]["bm25_score"] == {"value": 12.0, "weight": 0.6, "contribution": 0.3}
    assert payload["scoring"]["total"] == payload["result"]["score"] == 0.9512
    assert payload["rank"] == 2 and payload["total_candidates"] == 47 and payload["query_intent"] == "symbol"
    assert payload["beaten_by"]["result"]["symbol_id"] == "sym_1" and payload["formula"]
    ask("explain_ranking", engine, query="x", symbol_stable_id="b3:1")
    assert [query for query in engine.queries if isinstance(query, SymbolTarget)] == [
        SymbolTarget(path="src/auth.py", line=3), SymbolTarget(handle="b3:1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "raw"),
    [
        ("get_file_outline", {}),
        ("get_file_outline", {"path": "a.py", "symbol_id": "sym_1"}),
        ("get_file_outline", {"symbol_id": "sym_1", "symbol_stable_id": "b3:1"}),
        ("explain_ranking", {"query": "x"}),
        ("explain_ranking", {"query": "x", "path": "a.py"}),
        ("explain_ranking", {"query": "x", "result_id": "snip_1", "line": 3}),
        ("explain_ranking", {"query": "x", "path": "a.py", "line": 3, "result_id": "snip_1"}),
    ],
)
def test_one_thing_must_be_named(tool: str, raw: dict[str, object]) -> None:
    """C-ONE-TARGET: none or several are a violation, not a guess."""
    with pytest.raises(Failure) as caught:
        ask(tool, **raw)
    assert caught.value.code == "INVALID_REQUEST" and caught.value.details["violations"]


def test_index_status_payload() -> None:
    """C-PAYLOAD-003, C-OMIT-ABSENT: the documented fields; active_job is null, unknown times are left out."""
    payload = ask("index_status")
    assert payload["active_job"] is None and payload["file_count"] == 3
    assert payload["recent_jobs"][0]["duration_ms"] == 12
    assert {"project_id", "repo_root", "index_status", "schema_status", "current_schema_version", "ref"} <= set(payload)
    assert "last_indexed_at" not in payload
    assert ask("index_status", FakeEngine(state=EMPTY))["suggested_next_actions"][0]["tool"] == "index_repo"


def test_outline_payload() -> None:
    """C-PAYLOAD-004, C-HANDLES: a tree with handles; symbol_count in the metadata."""
    payload = ask("get_file_outline", path="src/auth.py")
    assert payload["file_path"] == "src/auth.py" and payload["language"] == "python"
    assert payload["symbols"][0]["children"][0]["symbol_stable_id"] == "b3:3"
    assert "children" not in payload["symbols"][0]["children"][0]
    assert payload["metadata"]["symbol_count"] == 2


def test_the_language_hint_of_an_outline_is_answered() -> None:
    """C-EVERY-FIELD: a hint that disagrees with the file gives a warning; one that agrees does not."""
    assert "warnings" not in ask("get_file_outline", path="a.py", language="Python")["metadata"]
    assert "not rust" in ask("get_file_outline", path="a.py", language="rust")["metadata"]["warnings"][0]


def test_health_payload() -> None:
    """C-PAYLOAD-004: the documented fields and nulls."""
    payload = ask("health_check")
    assert payload["active_job"] is None and payload["interrupted_recovery_report"] is None
    assert payload["startup_checks"]["index"] == {
        "status": "compatible", "current_schema_version": 1, "required_schema_version": 1, "message": None,
    }  # fmt: skip
    assert payload["workspace_warmset"] == {"enabled": True, "capacity": 3, "members": ["/repo"]}
    assert payload["projects"][0]["freshness_status"] == "fresh"
    assert payload["metadata"]["ref"] == "main"


@pytest.mark.parametrize("spelling", ["fn", "function", "Func", "def"])
def test_kinds_are_accepted_in_every_spelling(spelling: str) -> None:
    """C-KINDS: aliases reach the engine in the short spelling."""
    engine = FakeEngine()
    ask("locate_symbol", engine, name="x", kind=spelling)
    assert isinstance(engine.queries[0], LocateQuery) and engine.queries[0].kind == "fn"


def test_an_unknown_kind_lists_the_known_ones() -> None:
    """C-KINDS: as a violation of /kind."""
    with pytest.raises(Failure) as caught:
        ask("locate_symbol", name="x", kind="gizmo")
    violations = caught.value.details["violations"]
    assert isinstance(violations, list) and "struct" in violations[0]["params"]["allowedValues"]


def test_levels_of_detail() -> None:
    """C-DETAIL-LEVELS, C-OMIT-ABSENT: each level adds fields; compact takes away what is bulky or said elsewhere."""
    location = ask("search_code", query="x", detail_level="location")["results"][0]
    signature = ask("search_code", query="x")["results"][0]
    context = ask("search_code", query="x", detail_level="context")["results"][0]
    assert list(location) == [
        "symbol_id", "symbol_stable_id", "path", "line_start", "line_end", "kind", "name",
    ]  # fmt: skip
    assert set(signature) - set(location) == {
        "result_type", "qualified_name", "signature", "language", "visibility", "score",
    }  # fmt: skip
    assert set(context) - set(signature) == {"body_preview", "parent", "related_symbols"}
    assert context["parent"] == {"kind": "class", "name": "Auth", "path": "src/auth.py", "line": 1}
    for level in ("signature", "context"):
        compact = ask("search_code", query="x", detail_level=level, compact=True)["results"][0]
        assert compact == {**location, "signature": "def validate(token)", "score": 0.9512}
    assert ask("search_code", query="x", detail_level="location", compact=True)["results"][0] == location


def test_an_unknown_level_is_refused() -> None:
    """C-DETAIL-LEVELS: no silent fall-back to another level."""
    for field in ("detail_level", "ranking_explain_level", "freshness_policy"):
        with pytest.raises(Failure) as caught:
            ask("search_code", query="x", **{field: "verbose"})
        assert caught.value.code == "INVALID_REQUEST"


def test_only_snippets_show_a_snippet() -> None:
    """C-DETAIL-LEVELS: contract §9."""
    engine = FakeEngine(hits=(HIT, replace(HIT, result_type="snippet", result_id="snip_1", parent=None, related=())))
    symbol, snippet = ask("search_code", engine, query="x", detail_level="context")["results"]
    assert "snippet" not in symbol and snippet["snippet"] == HIT.snippet
    assert "parent" not in snippet and "related_symbols" not in snippet


def test_ranking_reasons() -> None:
    """C-EXPLAIN, C-SCORES: off is absent; full has exactly the eight fields without vectors; basic lies in 0..1."""
    assert "ranking_reasons" not in ask("search_code", query="x")["metadata"]
    full = ask("search_code", query="x", ranking_explain_level="full")["metadata"]["ranking_reasons"][0]
    assert full == {
        "result_index": 0, "exact_match_boost": 1.0, "qualified_name_boost": 0.8, "path_affinity": 0.0,
        "definition_boost": 1.0, "kind_match": 0.5, "bm25_score": 12.34, "final_score": 0.9512,
    }  # fmt: skip
    basic = ask("locate_symbol", name="x", ranking_explain_level="basic")["metadata"]["ranking_reasons"][0]
    assert set(basic) == {
        "result_index", "exact_match", "path_boost", "definition_boost", "text_match", "final_score",
    }  # fmt: skip
    assert all(0 <= value <= 1 for value in basic.values())


def test_defaults_apply_where_the_call_is_silent() -> None:
    """C-EVERY-FIELD: freshness and explain level come from the settings unless given."""
    engine = FakeEngine()
    defaults = Defaults(freshness_policy="strict", ranking_explain_level="full")
    assert "ranking_reasons" in ask("search_code", engine, defaults, query="x")["metadata"]
    said = ask("search_code", engine, defaults, query="x", freshness_policy="best_effort", ranking_explain_level="off")
    assert "ranking_reasons" not in said["metadata"]
    assert [query.freshness for query in engine.queries if isinstance(query, SearchQuery)] == ["strict", "best_effort"]


def test_an_inexact_match_says_so() -> None:
    """C-INEXACT: once beside the results, which are all of one tier."""
    engine = FakeEngine(hits=(replace(HIT, tier="prefix"),))
    guess = ask("locate_symbol", engine, name="val")
    assert guess["match"] == "prefix"
    assert guess["note"] == "No symbol is named 'val'; these are names that begin with it."
    assert [action["tool"] for action in guess["suggested_next_actions"]] == ["locate_symbol", "search_code"]
    sure = ask("locate_symbol", name="validate")
    assert "match" not in sure and "note" not in sure


@pytest.mark.parametrize("budget", [4096, 8192, 65536])
@pytest.mark.parametrize("tool", ["search_code", "locate_symbol"])
def test_answers_keep_their_byte_budget(tool: str, budget: int) -> None:
    """C-BYTE-BUDGET: cut from the end, said to be cut, with a narrower suggestion; never longer than allowed."""
    engine = FakeEngine(hits=tuple(replace(HIT, name=f"n{i}", body_preview="é" * 400) for i in range(100)), total=500)
    raw = {"query": "x"} if tool == "search_code" else {"name": "x"}
    payload = ask(
        tool, engine, Defaults(max_response_bytes=budget), **raw, limit=100, detail_level="context",
        ranking_explain_level="full",
    )  # fmt: skip
    assert len(encode(payload)) <= budget
    assert payload["metadata"]["result_completeness"] == "truncated"
    assert 0 < len(payload["results"]) == len(payload["metadata"]["ranking_reasons"]) < 100
    assert payload["results"][0]["name"] == "n0" and payload["total_candidates"] == 500
    assert payload["suggested_next_actions"][0]["detail_level"] == "location"


def test_follow_ups_of_a_location() -> None:
    """C-FOLLOW-UP: where it is used; by kind when there are more than are shown."""
    (used,) = ask("locate_symbol", name="validate")["suggested_next_actions"]
    assert used == {"tool": "find_references", "symbol_id": "sym_1", "ref": "main"}
    actions = ask("locate_symbol", FakeEngine(total=3), name="validate")["suggested_next_actions"]
    assert {"tool": "locate_symbol", "name": "validate", "ref": "main", "kind": "fn"} in actions
    narrow = ask("locate_symbol", FakeEngine(total=3), name="validate", kind="fn")["suggested_next_actions"]
    assert narrow == [used]


def test_one_huge_result_still_shows_its_place() -> None:
    """C-BYTE-BUDGET: better a place without a body than nothing."""
    engine = FakeEngine(hits=(replace(HIT, path="p" * 5_000),))
    payload = ask("search_code", engine, Defaults(max_response_bytes=4096), query="x", detail_level="context")
    assert payload["results"][0]["path"] and "signature" not in payload["results"][0]


def test_a_limit_that_leaves_something_out_says_so() -> None:
    """C-BYTE-BUDGET: total_candidates says how many there are, and the answer does not pass for complete."""
    payload = ask("search_code", FakeEngine(total=47), query="x", limit=1)
    assert payload["total_candidates"] == 47 and payload["metadata"]["result_completeness"] == "truncated"
    assert {"tool": "search_code", "query": "x", "ref": "main", "language": "python"} in payload[
        "suggested_next_actions"
    ]
    assert ask("search_code", query="x")["metadata"]["result_completeness"] == "complete"


@pytest.mark.parametrize("raw", [{"name": "nope"}, {"name": "nope", "kind": "fn"}])
def test_an_empty_location_suggests_something(raw: dict[str, object]) -> None:
    """C-NEVER-SILENT: search for it instead, or drop the filter."""
    payload = ask("locate_symbol", FakeEngine(hits=()), **raw)
    assert payload["results"] == []
    assert payload["suggested_next_actions"][-1]["tool"] == "search_code"


@pytest.mark.parametrize("query", ["nope", "no such words", "x y"])
def test_an_empty_search_suggests_something(query: str) -> None:
    """C-NEVER-SILENT: fewer words, or another tool."""
    assert ask("search_code", FakeEngine(hits=()), query=query)["suggested_next_actions"]


@pytest.mark.parametrize(("tool", "raw"), [("search_code", {"query": "x"}), ("locate_symbol", {"name": "x"})])
def test_not_indexed_gives_guidance(tool: str, raw: dict[str, object]) -> None:
    """C-NEVER-SILENT: an empty, partial answer that names index_repo."""
    payload = ask(tool, FakeEngine(hits=(), state=EMPTY), **raw)
    assert payload["results"] == [] and payload["suggested_next_actions"][0]["tool"] == "index_repo"
    assert payload["metadata"]["indexing_status"] == "not_indexed"
    assert payload["metadata"]["result_completeness"] == "partial"


def test_a_relaxed_query_says_so() -> None:
    """C-RELAXED: as a warning in the metadata."""
    assert "any of them" in ask("search_code", FakeEngine(relaxed=True), query="a b")["metadata"]["warnings"][0]
