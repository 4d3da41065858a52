"""Decisions: list decisions about findings and compute the status of a finding.

The newest decision about a finding is in force. When it expires, the finding is open again; an older decision does not
become valid again, because it was replaced on purpose.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.model.triage_values import OPEN, Dossier, Record, Ruling, Standing


def now() -> str:
    """Return the current time in the format of records."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def decisions(project: Project) -> tuple[Ruling, ...]:
    """List all decisions of a project, the newest first."""
    records = get_record_store(project).records()[1]
    newest = newest_decisions(records.values())
    moment = now()
    found = [ruling(one, newest, moment) for one in records.values() if one.decision is not None]
    return tuple(sorted(found, key=lambda one: (one.decided_at, one.record_id), reverse=True))


def newest_decisions(records: Iterable[Record]) -> dict[str, Record]:
    """Return the newest decision of each finding."""
    found: dict[str, Record] = {}
    for record in records:
        if record.decision is not None:
            finding = record.decision.finding_record_id
            known = found.get(finding)
            if known is None or (known.created_at, known.record_id) < (record.created_at, record.record_id):
                found[finding] = record
    return found


def standing(finding_id: str, newest: Mapping[str, Record], moment: str) -> Standing:
    """Return the status of a finding at a moment."""
    record = newest.get(finding_id)
    if record is None or record.decision is None:
        return Standing()
    decision = record.decision
    if expired(decision.expires_at, moment):
        return Standing(OPEN, record.record_id, decision.expires_at, expired=True)
    return Standing(decision.status, record.record_id, decision.expires_at)


def ruling(record: Record, newest: Mapping[str, Record], moment: str) -> Ruling:
    """Summarize a decision with its finding."""
    decision = record.decision
    assert decision is not None
    counts = newest.get(decision.finding_record_id)
    holds = counts is not None and counts.record_id == record.record_id and not expired(decision.expires_at, moment)
    return Ruling(
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


def dossier(record: Record, records: Mapping[str, Record], moment: str) -> Dossier:
    """Return a record with its status and the decisions about it."""
    newest = newest_decisions(records.values())
    finding = record.decision.finding_record_id if record.decision else record.record_id
    about = [
        ruling(one, newest, moment)
        for one in records.values()
        if one.decision is not None and one.decision.finding_record_id == finding
    ]
    about.sort(key=lambda one: (one.decided_at, one.record_id), reverse=True)
    return Dossier(record, standing(finding, newest, moment), tuple(about))


def expired(expires_at: str, moment: str) -> bool:
    """Whether an expiry has passed. Times are ISO in UTC with equal precision, so they compare as text."""
    return bool(expires_at) and expires_at <= moment
