"""The fuzzer itself is run by `make fuzz`; how its findings are judged is tested here."""

from typing import Any

import pytest

from tests.proof.fuzz import counts


def finding(category: str, target: str, kind: str = "tool", **evidence: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"category": category, "target": target, "kind": kind, "evidence": evidence}


def message(method: str, params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    "innocent",
    [
        finding("accepted_malformed", "search_code", input={"query": "' OR '1'='1"}),
        finding("accepted_malformed", "PingRequest", "protocol", input=message("ping", {"_meta": {}})),
        finding("accepted_malformed", "X", "protocol", input={"method": "notifications/cancelled", "params": 3}),
        finding("non_determinism", "index_repo", outcomes=["accepted", "rejected"]),
        finding("accepted_malformed", "get_code_context", input={"query": "x", "max_tokens": "[REDACTED]"}),
        finding("accepted_malformed", "stateful_sequences", "protocol", input=message("gnip", {})),
        finding("accepted_malformed", "CancelledNotification", "protocol", input={"method": "NOTIFICATIONS/CANCELLED"}),
        finding("injection_reflection", "find_references", input={"name": "<script>"}),
        finding("dangerous_capability_combo", "mcp_endpoint", "protocol"),
        finding("accepted_malformed", "X", "protocol", input={"method": "gnip"},
                response={"status": "notification_sent"}),
        finding("accepted_malformed", "CallToolRequest", "protocol", response={"isError": True},
                input=message("tools/call", {"name": "search_code", "arguments": {"bogus": 1}})),
    ],
)  # fmt: skip
def test_what_our_schema_accepts_does_not_count(innocent: dict[str, Any]) -> None:
    """P-FUZZ: odd but valid input, and answers that were errors, are no faults."""
    assert counts(innocent) == ""


@pytest.mark.parametrize(
    "fault",
    [
        finding("crash", "search_code", input={"query": "x"}),
        finding("hang", "list_refs", input={}),
        finding("accepted_malformed", "CancelledNotification", "protocol", input=message("gnip", {})),
        finding("accepted_malformed", "stateful_sequences", "protocol", input=message("initialize", {})),
        finding("transport_anomaly", "list_refs", input={}),
        finding("accepted_malformed", "search_code", input={"query": "x", "bogus": 1}),
        finding("accepted_malformed", "search_code", input={}),
        finding("non_determinism", "list_refs", outcomes=["accepted", "rejected"]),
        finding("accepted_malformed", "InitializeRequest", "protocol", input=message("initialize", {})),
        finding("accepted_malformed", "CallToolRequest", "protocol", response={"isError": False},
                input=message("tools/call", {"name": "search_code", "arguments": {"bogus": 1}})),
    ],
)  # fmt: skip
def test_faults_count(fault: dict[str, Any]) -> None:
    """P-FUZZ: crashes, hangs, broken messages, and input that our own schema refuses."""
    assert counts(fault)
