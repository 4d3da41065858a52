"""Decisions: list decisions about findings and compute the status of a finding.

The newest decision about a finding is in force. When it expires, the finding is open again; an older decision does not
become valid again, because it was replaced on purpose.
"""

from collections.abc import Iterable, Mapping

from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.model.timestamp import utc_timestamp
from codecompass.model.triage_values import OPEN, DecisionStatus, DecisionSummary, RecordDetails, TriageRecord


def list_decisions(project: Project) -> tuple[DecisionSummary, ...]:
    """List all decisions of a project, the newest first."""
    records = get_record_store(project).get_records()[1]
    newest = find_newest_decisions(records.values())
    moment = utc_timestamp()
    found = [summarize_decision(one, newest, moment) for one in records.values() if one.decision is not None]
    return tuple(sorted(found, key=lambda one: (one.decided_at, one.record_id), reverse=True))


def find_newest_decisions(records: Iterable[TriageRecord]) -> dict[str, TriageRecord]:
    """Return the newest decision of each finding."""
    found: dict[str, TriageRecord] = {}
    for record in records:
        if record.decision is not None:
            finding = record.decision.finding_record_id
            known = found.get(finding)
            if known is None or (known.created_at, known.record_id) < (record.created_at, record.record_id):
                found[finding] = record
    return found


def decision_status(finding_id: str, newest: Mapping[str, TriageRecord], moment: str) -> DecisionStatus:
    """Return the status of a finding at a moment."""
    record = newest.get(finding_id)
    if record is None or record.decision is None:
        return DecisionStatus()
    decision = record.decision
    if is_expired(decision.expires_at, moment):
        return DecisionStatus(OPEN, record.record_id, decision.expires_at, expired=True)
    return DecisionStatus(decision.status, record.record_id, decision.expires_at)


def summarize_decision(record: TriageRecord, newest: Mapping[str, TriageRecord], moment: str) -> DecisionSummary:
    """Summarize a decision with its finding."""
    decision = record.decision
    assert decision is not None
    counts = newest.get(decision.finding_record_id)
    holds = counts is not None and counts.record_id == record.record_id and not is_expired(decision.expires_at, moment)
    return DecisionSummary(
        record_id=record.record_id,
        finding_id=decision.finding_record_id,
        status=decision.status,
        in_force=holds,
        decided_at=record.created_at,
        expires_at=decision.expires_at,
        reviewer=decision.reviewer,
        justification=decision.justification,
        vuln_id=record.vuln.vuln_id or record.vuln.cve,
        title=record.vuln.title,
        package=record.package.name,
        evidence=decision.evidence_refs,
    )


def record_details(record: TriageRecord, records: Mapping[str, TriageRecord], moment: str) -> RecordDetails:
    """Return a record with its status and the decisions about it."""
    newest = find_newest_decisions(records.values())
    finding = record.decision.finding_record_id if record.decision else record.record_id
    about = [
        summarize_decision(one, newest, moment)
        for one in records.values()
        if one.decision is not None and one.decision.finding_record_id == finding
    ]
    about.sort(key=lambda one: (one.decided_at, one.record_id), reverse=True)
    return RecordDetails(record, decision_status(finding, newest, moment), tuple(about))


def is_expired(expires_at: str, moment: str) -> bool:
    """Whether an expiry has passed. Times are ISO in UTC with equal precision, so they compare as text."""
    return bool(expires_at) and expires_at <= moment
