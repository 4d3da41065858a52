"""The three tools: documented fields, sizes and failures, through the dispatch that all surfaces share."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply
from codecompass.contract.tool import Defaults, Host
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.tools import TOOLS
from tests.engine.triage.triage_repo import YAML, Bench


@pytest.fixture
def dispatch(bench: Bench) -> Iterator[Dispatch]:
    admission = Admission(workers=1)
    host = Host(bench.engine, Defaults(freshness_policy="best_effort", max_response_bytes=20_000))
    try:
        yield Dispatch(TOOLS, host, Log("error"), admission=admission)
    finally:
        admission.close()
        (bench.repo / "in.json").unlink(missing_ok=True)


def ingest(bench: Bench, dispatch: Dispatch, findings: object, **raw: object) -> dict[str, Any]:
    (bench.repo / "in.json").write_text(json.dumps(findings))
    reply = dispatch.call("triage_ingest", {"source": "generic", "inputPath": "in.json", **raw})
    assert not reply.is_error, reply.body
    return reply.payload


def failed(reply: Reply, code: str) -> dict[str, Any]:
    assert reply.is_error and reply.code == code, reply.body
    return reply.payload


def test_the_round(bench: Bench, dispatch: Dispatch) -> None:
    """TRIAGE-TOOLS: in, decided, packed; the fields of the document and what we say besides."""
    made = ingest(bench, dispatch, [YAML, 5], meta={"team": "red"}, buildIndex=True)
    assert {key: made[key] for key in ("source", "total", "written", "errors", "searchable")} == {
        "source": "generic", "total": 2, "written": 1, "errors": 1, "searchable": 1,
    }  # fmt: skip
    assert made["errorDetails"] == [{"index": 1, "position": "[1]", "message": "an object was expected"}]
    (record,) = made["recordIds"]
    assert set(made["records"][0]) == {"recordId", "outcome", "jsonPath", "mdPath"}
    raw = {"finding": record, "status": "accept", "expires": "2999-01-01", "evidence": ["src/config.py"]}
    decided = dispatch.call("triage_decision", raw).payload
    assert {"recordId", "findingId", "status", "recordsDir", "jsonPath", "mdPath"} <= set(decided)
    assert (decided["findingId"], decided["inForce"], decided["team"]) == (record, True, "red")
    packed = dispatch.call("triage_context_pack", {"recordId": f"rec_{record}"}).payload
    assert {"outPath", "historyCount", "evidenceQueries"} <= set(packed)
    assert (packed["historyCount"], packed["status"], len(packed["calls"])) == (1, "accept", 2)


def test_answers_keep_their_size(bench: Bench, dispatch: Dispatch) -> None:
    """TRIAGE-TOOLS: many records and errors are counted whole and listed as far as they fit, errors first."""
    rows: list[object] = [{**YAML, "vulnId": f"V-{number}"} for number in range(100)]
    made = ingest(bench, dispatch, rows + [{"bad": number} for number in range(30)])
    assert (made["added"], made["errors"], made["total"]) == (100, 30, 130)
    assert len(encode(made)) <= 20_000 and len(made["errorDetails"]) == 30
    assert 0 < len(made["records"]) < 100 and "cut" in made["warnings"][-1]


def test_failures(bench: Bench, dispatch: Dispatch) -> None:
    """TRIAGE-TOOLS, TRIAGE-EVIDENCE: refusals have a code, words and, for evidence, the list of what is missing."""
    (record,) = ingest(bench, dispatch, [YAML])["recordIds"]
    raw = {"finding": record, "status": "accept", "evidence": ["nope.py", "also.py:3"]}
    assert failed(dispatch.call("triage_decision", raw), "INVALID_REQUEST")["details"]["missing"] == [
        "nope.py", "also.py:3",
    ]  # fmt: skip
    failed(dispatch.call("triage_decision", {"finding": "x", "status": "accept"}), "NOT_FOUND")
    failed(dispatch.call("triage_context_pack", {"recordId": record, "outPath": "../x.json"}), "FORBIDDEN")
    failed(dispatch.call("triage_ingest", {"source": "generic", "inputPath": "none.json"}), "FILE_NOT_FOUND")
    refused = dispatch.call("triage_ingest", {"source": "generic", "inputPath": "in.json", "meta": {"colour": 1}})
    assert refused.rpc_error is not None and refused.rpc_error.data["details"][0]["instancePath"] == "/meta"
