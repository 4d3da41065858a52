"""JSON shapes of jobs and projects in index_status, health_check and the job tools."""

from typing import Any

from codecompass.model.code.coverage import CoverageGap
from codecompass.model.job import Job
from codecompass.model.queries.results import IndexProgress, ProjectStatus, RecoveryReport

VECTORS_MISSING_NOTE = (
    "Files without vectors are found by words and names; a server makes the rest, or 'codecompass sync' does."
)
_MAX_LISTED = 20
"""Most partly indexed files that a status lists."""


def shape_past_job(job: Job) -> dict[str, Any]:
    """Shape a job of the history; `changed_files` is null until it is known, as documented."""
    shaped: dict[str, Any] = {
        "job_id": job.job_id,
        "ref": job.ref,
        "mode": job.mode,
        "status": job.status,
        "changed_files": job.changed_files,
        "duration_ms": job.duration_ms,
        "created_at": job.created_at,
    }
    if job.duration_ms is None:
        del shaped["duration_ms"]
    if job.error:
        shaped["error"] = job.error
    return shaped


def shape_active_job(job: Job | None, project_id: str) -> dict[str, Any] | None:
    """Shape an active job with its progress."""
    if job is None:
        return None
    shaped: dict[str, Any] = {
        "job_id": job.job_id,
        "project_id": project_id,
        "ref": job.ref,
        "mode": job.mode,
        "status": job.status,
        "changed_files": job.changed_files,
        "files_done": job.files_done,
    }
    if job.files_total is not None:
        shaped["files_total"] = job.files_total
    if job.started_at:
        shaped["started_at"] = job.started_at
    return shaped


def shape_project(status: ProjectStatus) -> dict[str, Any]:
    """Shape the fields of a project that index_status and health_check share."""
    shaped: dict[str, Any] = {
        "project_id": status.project_id,
        "repo_root": status.repo_root,
        "index_status": status.state.indexing,
        "schema_status": status.state.schema,
        "current_schema_version": status.schema_version,
        "required_schema_version": status.required_schema_version,
    }
    if status.state.indexed_at:
        shaped["last_indexed_at"] = status.state.indexed_at
    shaped |= {"ref": status.state.ref, "file_count": status.file_count, "symbol_count": status.symbol_count}
    return shaped | {"channels": shape_channels(status)}


def shape_channels(status: ProjectStatus) -> dict[str, Any]:
    """Shape the state of the text and vector channels of search."""
    words, meaning = status.words, status.semantic
    numbers = {
        "documents": words.documents,
        "unknown_contents": words.strays,
        "missing_contents": words.missing,
        "dropped_hits": words.dropped_hits,
    }
    vectors: dict[str, Any] = {"status": meaning.state}
    if meaning.total:
        vectors |= {"files": meaning.covered, "files_total": meaning.total}
    note = meaning.note or (VECTORS_MISSING_NOTE if meaning.state == "building" else "")
    return {
        "words": {"status": words.state, **({} if words.state == "off" else numbers)},
        "meaning": {**vectors, **({"note": note} if note else {})},
    }


def shape_progress(progress: IndexProgress | None) -> dict[str, Any]:
    """Shape how far a first index is; empty when it is finished."""
    if progress is None:
        return {}
    return {"percent": progress.percent, "files_indexed": progress.ready, "files_total": progress.total}


def shape_partly_indexed(gaps: tuple[CoverageGap, ...]) -> dict[str, Any]:
    """Shape the partly indexed files: their number and the first of them."""
    rows = [{"path": gap.path, "reason": gap.reason, "size": gap.size} for gap in gaps[:_MAX_LISTED]]
    return {"count": len(gaps), "files": rows} if gaps else {}


def shape_recovery(report: RecoveryReport | None) -> dict[str, Any] | None:
    """Shape the report about jobs whose process died."""
    if report is None:
        return None
    return {
        "detected": True,
        "interrupted_jobs": report.interrupted_jobs,
        "last_interrupted_at": report.last_interrupted_at,
        "recommended_action": report.recommended_action,
    }
