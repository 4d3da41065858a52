"""diff_context and list_refs over a fake engine: payloads, budgets, suggestions."""

from dataclasses import replace
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.symbol_difference import DiffQuery
from codecompass.tools import diff_context, list_refs
from tests.fake_engine import EMPTY, READY, FakeEngine

SIX = {
    "codecompass_protocol_version", "freshness_status", "indexing_status", "result_completeness", "ref",
    "schema_status",
}  # fmt: skip


def ask(tool: Any, engine: FakeEngine | None = None, budget: int = 65_536, /, **raw: object) -> dict[str, Any]:  # noqa: ANN401 - a module
    host = Host(engine or FakeEngine(), Defaults(max_response_bytes=budget))
    return render_success("compass", tool.run(host, Call(), decode(tool.TOOL.params, raw))).payload


def test_diff_context_payload() -> None:
    """DIFF-PAYLOAD: both sides, files, totals and each change with before, after and callers."""
    payload = ask(diff_context)
    assert payload["base"] == {"ref": "HEAD", "commit": "c" * 40}
    assert payload["head"] == {"ref": "main", "commit": "c" * 40, "live": True}
    assert payload["files"] == {
        "added": 0, "modified": 1, "deleted": 0, "renamed": 0,
        "list": [{"path": "src/auth.py", "change": "modified", "symbols": 1}],
    }  # fmt: skip
    assert payload["totals"]["modified"] == 1 and payload["totals"]["moved_only"] == 0
    assert payload["changes"] == [
        {
            "change": "modified", "symbol_id": "sym_1", "kind": "fn", "name": "validate",
            "qualified_name": "auth.validate", "path": "src/auth.py",
            "before": {"signature": "def validate(token)", "line_start": 3, "line_end": 9},
            "after": {"signature": "def validate(token, strict)", "line_start": 4, "line_end": 11},
            "signature_changed": True, "body_changed": True,
            "callers": [
                {"path": "src/api.py", "line": 9, "name": "api.login", "role": "call", "resolution": "resolved"},
            ],
            "callers_total": 1,
        }
    ]  # fmt: skip
    assert set(payload["metadata"]) == SIX and payload["metadata"]["result_completeness"] == "complete"
    assert "merge_base" not in payload and "left_out" not in payload


def test_every_field_reaches_the_engine() -> None:
    """DIFF-PAYLOAD: nothing is accepted and ignored, nothing unknown accepted."""
    engine = FakeEngine()
    raw = {"base_ref": "a", "head_ref": "b", "path": "src", "limit": 7, "callers": 2, "direct": True}
    ask(diff_context, engine, **raw, freshness_policy="strict")
    assert engine.queries == [DiffQuery("a", "b", "src", 7, 2, direct=True, freshness="strict")]
    for wrong in ({"limit": 0}, {"callers": -1}, {"path": ""}, {"base_ref": ""}, {"include": "files"}):
        with pytest.raises(Failure) as caught:
            ask(diff_context, **wrong)
        assert caught.value.code == "INVALID_REQUEST"


@pytest.mark.parametrize("budget", [4096, 16_384])
def test_diff_context_keeps_its_byte_budget(budget: int) -> None:
    """DIFF-PAYLOAD: cut from the end, said to be cut, with a smaller question to ask; totals stay true."""
    payload = ask(diff_context, FakeEngine(total=100), budget, limit=100)
    assert len(encode(payload)) <= budget and 0 < len(payload["changes"]) < 100
    assert payload["metadata"]["result_completeness"] == "truncated" and payload["totals"]["modified"] == 100
    assert payload["suggested_next_actions"][0] == {"tool": "diff_context", "callers": 0, "limit": 50}


def test_an_empty_difference_says_what_to_try() -> None:
    """DIFF-PAYLOAD: nothing changed, nothing indexed or an old index: each has its next step."""
    nothing = ask(diff_context, FakeEngine(hits=()))
    assert nothing["changes"] == [] and nothing["suggested_next_actions"] == [{"tool": "list_refs"}]
    again = ask(diff_context, FakeEngine(hits=()), base_ref="v1")
    assert again["suggested_next_actions"] == [{"tool": "diff_context", "base_ref": "v1", "direct": True}]
    empty = ask(diff_context, FakeEngine(hits=(), state=EMPTY))
    assert empty["suggested_next_actions"] == [{"tool": "index_repo", "ref": "main"}]
    assert empty["metadata"]["result_completeness"] == "partial"
    stale = ask(diff_context, FakeEngine(state=replace(READY, freshness="stale")))
    assert stale["suggested_next_actions"] == [{"tool": "sync_repo", "ref": "main"}]


def test_list_refs_payload() -> None:
    """REFS-PAYLOAD: what is not so is left out; the whole fits its budget and says when it was cut."""
    payload = ask(list_refs)
    live, branch = payload["refs"]
    assert live == {
        "name": "live", "kind": "live", "commit": "c" * 40, "is_current": True, "indexed": True,
        "freshness": "fresh", "files": 3, "symbols": 7,
    }  # fmt: skip
    assert branch == {"name": "b0", "kind": "branch", "commit": "d" * 40, "indexed": False}
    assert payload["total_refs"] == 2 and payload["vcs_mode"] == "git" and len(payload["worktrees"]) == 1
    assert set(payload["metadata"]) == SIX and payload["metadata"]["result_completeness"] == "complete"
    many = ask(list_refs, FakeEngine(total=90), 4096, limit=100)
    assert len(encode(many)) <= 4096 and 0 < len(many["refs"]) < 91 and many["total_refs"] == 91
    assert many["metadata"]["result_completeness"] == "truncated"
    assert ask(list_refs, FakeEngine(total=90), limit=10)["metadata"]["result_completeness"] == "truncated"
