"""Renderings: the same failure in the words of each family."""

import pytest

from codecompass.contract import families
from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.tool import Answer
from codecompass.errors import CODES, Failure
from tests.fake_engine import READY

SIX = {
    "codecompass_protocol_version", "freshness_status", "indexing_status", "result_completeness", "ref",
    "schema_status",
}  # fmt: skip


def test_rejected_arguments_in_each_family() -> None:
    """C-ARGS-FAMILIES: compass and context answer with a tool error, cleats with an error of the protocol."""
    failure = to_invalid_request([make_violation("/query", "type", "must be a string")])
    compass = families.render_failure("compass", failure, READY)
    assert compass.is_error and compass.rpc_error is None
    assert compass.payload["error"]["code"] == "invalid_input"
    assert compass.payload["error"]["data"]["violations"][0]["instancePath"] == "/query"
    cleats = families.render_failure("cleats", failure, READY)
    assert cleats.rpc_error is not None and cleats.rpc_error.code == -32602
    assert cleats.rpc_error.data["code"] == "INVALID_REQUEST"
    assert cleats.rpc_error.data["details"][0]["keyword"] == "type"
    context = families.render_failure("context", failure, READY, "read_file")
    assert context.is_error and set(context.payload) == {"error", "message", "tool", "code", "details"}
    assert (context.payload["error"], context.payload["tool"]) == ("Invalid parameters", "read_file")


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
def test_every_compass_error_has_the_six_fields(code: object) -> None:
    """C-META-SIX: whatever fails, the metadata stands, unless the protocol itself carries the error."""
    assert hasattr(code, "name")
    reply = families.render_failure("compass", Failure(code.name, "text"), READY)
    assert reply.is_error
    if reply.rpc_error is None:
        assert set(reply.payload["metadata"]) >= SIX
    else:
        assert reply.rpc_error.code == -32001


def test_success_of_a_compass_tool_has_the_six_fields() -> None:
    """C-META-SIX: and whatever extra the tool gives comes after them."""
    reply = families.render_success(
        "compass", Answer({"a": 1}, READY, extra={"symbol_count": 2}, warnings=("careful",))
    )
    assert list(reply.payload["metadata"])[:6] == [
        "codecompass_protocol_version", "freshness_status", "indexing_status", "result_completeness", "ref",
        "schema_status",
    ]  # fmt: skip
    assert reply.payload["metadata"]["symbol_count"] == 2
    assert reply.payload["metadata"]["warnings"] == ["careful"]


def test_cleats_and_context_answers_are_bare() -> None:
    assert families.render_success("cleats", Answer({"a": 1}, READY)).payload == {"a": 1}
    assert families.render_success("context", Answer({"a": 1}, READY)).payload == {"a": 1}


def test_a_cleats_failure_puts_time_and_output_beside_the_message() -> None:
    failure = Failure("TOOL_TIMEOUT", "too slow", {"timeoutMs": 5, "stderr": "x", "pid": 1})
    payload = families.render_failure("cleats", failure, READY).payload
    assert payload == {
        "ok": False, "code": "TOOL_TIMEOUT", "message": "too slow", "timeoutMs": 5, "stderr": "x",
        "details": {"pid": 1},
    }  # fmt: skip


def test_stale_index_error() -> None:
    """C-STALE-ERROR: the three documented facts stand in data."""
    details: dict[str, object] = {"last_indexed_commit": "abc", "current_head": "def"}
    failure = Failure("INDEX_STALE", "Index is stale.", details)
    data = families.render_failure("compass", failure, READY).payload["error"]["data"]
    assert data["last_indexed_commit"] == "abc" and data["current_head"] == "def"
    assert "sync_repo" in data["suggestion"]


def test_a_search_that_breaks_says_so_in_the_words_of_the_document() -> None:
    """C-CONTEXT-ERRORS: "Search failed", what happened, and what to use instead."""
    reply = families.render_failure("context", Failure("INTERNAL", "It broke."), READY, "context_search")
    assert reply.payload["error"] == "Search failed" and reply.payload["message"] == "It broke."
    assert reply.payload["fallback"] == "Try using grep_codebase for text search"
    assert (reply.payload["tool"], reply.payload["code"]) == ("context_search", "INTERNAL")


def test_unknown_tool() -> None:
    """C-UNKNOWN-TOOL: an error of the protocol, with a shortened name."""
    reply = families.render_unknown_tool("x" * 1_000_000 + "\ud800")
    assert reply.rpc_error is not None
    assert reply.rpc_error.code == -32602 and reply.rpc_error.data["code"] == "NOT_FOUND"
    assert len(reply.rpc_error.message) < 200
