"""JSON shapes of triage reports: ingested findings, decisions, context packs and records."""

from typing import Any

from codecompass.contract.encoding import encode
from codecompass.model.triage_values import (
    ContextPackReport,
    Evidence,
    EvidenceLine,
    IngestReport,
    RecordDetails,
    RecordedDecision,
    to_json_object,
)

FRAME_BYTES = 1_500
"""Bytes reserved for everything except the lists."""
CUT_WARNING = "The lists were cut to the size of an answer; the counts are whole."
MAX_SHOWN = 10
"""Most lines of each kind that an answer shows of a pack; the file has more."""


def shape_ingest(made: IngestReport, max_bytes: int) -> dict[str, Any]:
    """Shape an ingest report: counts, then as many errors and records as fit; errors first."""
    room = max_bytes - FRAME_BYTES - len(encode(made.records_dir))
    problems = [{"index": one.index, "position": one.position, "message": one.message} for one in made.problems]
    stored = [
        {"recordId": one.record_id, "outcome": one.outcome, "jsonPath": one.json_path, "mdPath": one.md_path}
        for one in made.stored
    ]
    kept_problems, room = _take_fitting(problems, room)
    kept, _ = _take_fitting(stored, room)
    cut = len(kept) < sum(made.counts.values()) or len(kept_problems) < made.errors
    shaped: dict[str, Any] = {
        "source": made.source,
        "repoRoot": made.repo_root,
        "recordsDir": made.records_dir,
        "total": made.total,
        "written": made.written,
        "added": made.counts.get("added", 0),
        "updated": made.counts.get("updated", 0),
        "unchanged": made.counts.get("unchanged", 0),
        "errors": made.errors,
        "recordIds": [one["recordId"] for one in kept],
        "records": kept,
        "errorDetails": kept_problems,
    }
    if made.searchable is not None:
        shaped["searchable"] = made.searchable
    warnings = [*made.warnings, *([CUT_WARNING] if cut else [])]
    return shaped | ({"warnings": warnings} if warnings else {})


def _take_fitting(rows: list[dict[str, Any]], room: int) -> tuple[list[dict[str, Any]], int]:
    kept = []
    for row in rows:
        # A record's id is listed a second time in `recordIds`.
        cost = len(encode(row)) + len(encode(row.get("recordId", ""))) + 2
        if cost > room:
            break
        room -= cost
        kept.append(row)
    return kept, room


def shape_decision(made: RecordedDecision) -> dict[str, Any]:
    record, decision = made.record, made.record.decision
    assert decision is not None
    shaped: dict[str, Any] = {
        "recordId": record.record_id,
        "findingId": decision.finding_record_id,
        "status": decision.status,
        "inForce": True,
        "recordsDir": made.records_dir,
        "jsonPath": made.stored.json_path,
        "mdPath": made.stored.md_path,
        "decidedAt": record.created_at,
    }
    routing = {name: getattr(record, name) for name in ("service", "env", "team", "owner", "repo")}
    more: dict[str, Any] = {
        "expiresAt": decision.expires_at,
        "reviewer": decision.reviewer,
        "justification": decision.justification[:500],
        "codes": list(decision.justification_codes),
        "evidence": [_shape_evidence(one) for one in decision.evidence_refs],
        "replaces": made.replaces,
        "warnings": list(made.warnings),
        **routing,
    }
    return shaped | {name: value for name, value in more.items() if value}


def _shape_evidence(one: Evidence) -> dict[str, Any]:
    found = {"ref": one.ref, "kind": one.kind, "path": one.path, "line": one.line, "name": one.name}
    return {name: value for name, value in found.items() if value}


def shape_pack(made: ContextPackReport) -> dict[str, Any]:
    around = made.surroundings
    shaped: dict[str, Any] = {
        "recordId": made.record_id,
        "outPath": made.out_path,
        "mdPath": made.md_path,
        "bytes": made.size,
        "status": made.standing.status,
        "historyCount": made.history,
        "evidenceQueries": len(around.queries),
        "manifests": [_shape_trace(one) for one in around.manifests[:MAX_SHOWN]],
        "imports": [_shape_trace(one) for one in around.imports[:MAX_SHOWN]],
        "calls": [_shape_trace(one) for one in around.calls[:MAX_SHOWN]],
    }
    if made.standing.expired:
        shaped["decisionExpired"] = made.standing.expires_at
    left = {name: count for name, count in around.left_out.items() if count}
    more: dict[str, Any] = {"leftOut": left, "branch": made.ref, "freshness": made.freshness}
    more["warnings"] = list(around.warnings[:MAX_SHOWN])
    return shaped | {name: value for name, value in more.items() if value}


def _shape_trace(one: EvidenceLine) -> dict[str, Any]:
    found = {"file": one.path, "line": one.line, "text": one.text, "why": one.why, "symbol": one.symbol}
    return {name: value for name, value in found.items() if value}


def shape_record(found: RecordDetails, *, whole: bool = False) -> dict[str, Any]:
    """Shape a record with its status: with `whole` every field and decision, else the few fields of a list."""
    record, stands = found.record, to_json_object(found.standing)
    if whole:
        shown = {"record": to_json_object(record), "standing": stands, "decisions": to_json_object(found.decisions)}
        return shown | ({"warnings": list(found.warnings)} if found.warnings else {})
    shaped = {
        "recordId": record.record_id,
        "vulnId": record.vuln.vuln_id,
        "title": record.vuln.title,
        "severity": record.vuln.severity,
        "package": record.package.name,
        "installedVersion": record.package.installed_version,
        "fixedVersion": record.package.fixed_version,
        "source": record.source,
        "standing": stands,
    }
    return {name: value for name, value in shaped.items() if value}
