"""Decisions: each a record of its own, with evidence that is there; the newest counts, and only until it expires."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from codecompass.engine.triage.decisions import list_decisions
from codecompass.errors import Failure
from codecompass.model.states import DecisionKind
from codecompass.model.triage_values import STATUSES
from tests.engine.triage.triage_repo import MERGE, YAML, Bench

PAST = "2020-01-01T00:00:00Z"


@pytest.mark.parametrize("status", STATUSES)
def test_a_decision_is_a_record(bench: Bench, status: DecisionKind) -> None:
    """TRIAGE-DECIDE: with what the finding says and what was decided, as JSON and Markdown, and found by search."""
    finding = bench.one(YAML)
    made = bench.decide(finding, status, justification="Because\nof tests.", reviewer="ada", codes=("code_a",),
                        meta={"team": "red"})  # fmt: skip
    data = json.loads((bench.folder() / f"{made.record.record_id}.json").read_text())
    assert (data["recordType"], data["source"], data["service"], data["team"]) == ("decision", "manual", "api", "red")
    assert data["decision"] == {
        "findingRecordId": finding, "status": status, "justification": "Because\nof tests.",
        "justificationCodes": ["code_a"], "reviewer": "ada",
    }  # fmt: skip
    assert "> Because\n> of tests." in (bench.folder() / f"{made.record.record_id}.md").read_text()
    assert bench.engine.triage_record(None, finding).standing.status == status
    assert bench.names(meta=[f"status={status}", "recordType=finding"]) == ["CVE-2031-50005"]
    assert bench.names("because tests", meta="inForce=true") == ["CVE-2031-50005"]


def test_history_is_only_added_to(bench: Bench) -> None:
    """TRIAGE-DECIDE: every decision stays; the newest is in force, also of several within a second."""
    finding = bench.one(YAML)
    made = [bench.decide(finding, status) for status in ("defer", "accept", "accept", "fix")]
    assert len({one.record.record_id for one in made}) == 4
    assert [one.replaces for one in made[1:]] == [one.record.record_id for one in made[:-1]]
    first = (bench.folder() / f"{made[0].record.record_id}.json").read_bytes()
    found = bench.engine.triage_record(None, finding)
    assert [(one.status, one.in_force) for one in found.decisions] == [
        ("fix", True), ("accept", False), ("accept", False), ("defer", False),
    ]  # fmt: skip
    assert found.standing.status == "fix" and found.standing.decision_id == made[-1].record.record_id
    assert (bench.folder() / f"{made[0].record.record_id}.json").read_bytes() == first
    assert bench.ingest(YAML).counts == {"unchanged": 1}, "a finding that comes again keeps its decisions"
    assert bench.engine.triage_record(None, finding).standing.status == "fix"


def test_expiry(bench: Bench) -> None:
    """TRIAGE-EXPIRY: after its day a decision is no longer in force: the finding is open, and that is said."""
    finding = bench.one(YAML)
    older = bench.decide(finding, "accept")
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    made = bench.decide(finding, "defer", expires=tomorrow)
    assert made.record.decision is not None and made.record.decision.expires_at == f"{tomorrow}T23:59:59Z"
    assert bench.engine.triage_record(None, finding).standing.status == "defer"
    bench.rewrite(made.record.record_id, decision__expiresAt=PAST)
    found = bench.engine.triage_record(None, finding)
    assert (found.standing.status, found.standing.expired, found.standing.expires_at) == ("open", True, PAST)
    assert [one.in_force for one in found.decisions] == [False, False], "an older one does not come back"
    assert older.record.record_id == found.decisions[1].record_id
    assert bench.names(meta=["status=open", "decisionExpired=true"]) == ["CVE-2031-50005"]
    assert bench.names(meta=["recordType=decision", "inForce=true"]) == []
    assert bench.decide(finding, "fix").replaces == "", "nothing was in force"
    assert [one.record.record_id for one in bench.engine.triage_findings(None, "fix", "", "", 9).entries] == [finding]


@pytest.mark.parametrize("expires", ["soon", "2031-13-01", "2020-01-01", "2020-01-01T00:00:00Z", "99999-01-01"])
def test_impossible_expiry(bench: Bench, expires: str) -> None:
    """TRIAGE-EXPIRY: what is no date, or past, is refused and nothing is written."""
    finding = bench.one(YAML)
    with pytest.raises(Failure, match="expires") as caught:
        bench.decide(finding, expires=expires)
    assert caught.value.code == "INVALID_REQUEST" and len(os.listdir(bench.folder())) == 2


def test_evidence_is_looked_up(bench: Bench) -> None:
    """TRIAGE-EVIDENCE: files, lines, symbols, handles, records and addresses; each is written with what it was."""
    finding, other = bench.one(YAML), bench.one(MERGE)
    handle = bench.hits("read", "code")[0].result_id
    refs = ("src/config.py", "src/config.py:9-10", "./go.mod:3", "read", "config.quick", handle, other, f"rec_{other}",
            "https://example.org/issue/1")  # fmt: skip
    made = bench.decide(finding, evidence=refs).record.decision
    assert made is not None
    kinds = {one.ref: (one.kind, one.path, one.line) for one in made.evidence_refs}
    assert tuple(kinds) == refs
    assert kinds["src/config.py"] == ("file", "src/config.py", 0)
    assert kinds["src/config.py:9-10"] == ("lines", "src/config.py", 9)
    assert kinds["./go.mod:3"] == ("lines", "go.mod", 3)
    assert kinds["read"] == ("symbol", "src/config.py", 9)
    assert kinds["config.quick"][0] == "symbol" and kinds[handle][1] == "src/config.py"
    assert kinds[other] == ("record", "", 0) and kinds["https://example.org/issue/1"][0] == "url"


def test_missing_evidence_is_listed(bench: Bench) -> None:
    """TRIAGE-EVIDENCE: all that is not there is named at once, and no decision is recorded."""
    finding = bench.one(YAML)
    missing = ["src/none.py", "src/config.py:9000", "src/config.py:0", "src/config.py:5-2", "no_such_symbol",
               "sym_" + "1" * 15, "0" * 40, "../../etc/passwd", "ftp://x"]  # fmt: skip
    with pytest.raises(Failure, match="Nothing was recorded") as caught:
        bench.decide(finding, evidence=("src/config.py", *missing))
    assert caught.value.code == "INVALID_REQUEST"
    assert sorted(caught.value.details["missing"]) == sorted(missing)  # type: ignore[call-overload]
    assert len(os.listdir(bench.folder())) == 2
    assert bench.engine.triage_record(None, finding).standing.status == "open"


def test_refusals(bench: Bench) -> None:
    """TRIAGE-DECIDE: an unknown finding, a decision as finding, and words without end are refused."""
    finding = bench.one(YAML)
    decision = bench.decide(finding).record.record_id
    with pytest.raises(Failure) as caught:
        bench.decide("0" * 40)
    assert caught.value.code == "NOT_FOUND"
    with pytest.raises(Failure, match="is a decision") as caught:
        bench.decide(decision)
    assert finding in caught.value.effective_hint
    for more in ({"justification": "x" * 30_000}, {"reviewer": "x" * 600}, {"evidence": ("x",) * 101},
                 {"codes": ("x" * 600,)}, {"meta": {"colour": "red"}}):  # fmt: skip
        with pytest.raises(Failure) as caught:
            bench.decide(finding, **more)
        assert caught.value.code == "INVALID_REQUEST"
    assert len(list(bench.folder().glob("*.json"))) == 2


def test_a_finding_cannot_take_the_place_of_a_decision(bench: Bench) -> None:
    """TRIAGE-DECIDE: an import that brings the id of a decision is refused; the decision stays as it was."""
    decision = bench.decide(bench.one(YAML)).record.record_id
    before = (bench.folder() / f"{decision}.json").read_bytes()
    made = bench.ingest({**MERGE, "recordId": decision})
    assert made.errors == 1 and "is a decision" in made.problems[0].message
    assert (bench.folder() / f"{decision}.json").read_bytes() == before


def test_decisions_for_others(bench: Bench) -> None:
    """TRIAGE-DECIDE: what was decided as plain values, the newest first, each with a sentence that says it."""
    first, second = bench.one(YAML), bench.one(MERGE)
    bench.decide(first, "accept", justification="Behind the VPN.", expires="2999-01-01", evidence=("src/config.py",))
    bench.decide(first, "fix")
    bench.decide(second, "not_affected", justification="Unused.")
    with_both = list_decisions(bench.engine._projects.open_for_query(None))
    assert {(one.finding_id, one.status, one.in_force) for one in with_both} == {
        (first, "fix", True), (first, "accept", False), (second, "not_affected", True),
    }  # fmt: skip
    accepted = next(one for one in with_both if one.status == "accept")
    assert accepted.sentence == "accept CVE-2031-50005 in PyYAML (until 2999-01-01): Behind the VPN."
    assert [one.path for one in accepted.evidence] == ["src/config.py"]
