"""JSON shapes of the portable file, indexed refs, workspaces and settings in status tools."""

from typing import Any

from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.maintenance.workspace_usage import EffectiveSetting, IndexedRef, WorkspaceStatus
from codecompass.model.secrecy import redact_secrets

HIDDEN = "(set, not shown)"


def shape_portable(report: PortableReport) -> dict[str, Any]:
    """Shape a portable file; one that is missing or unusable has only the known fields."""
    shaped: dict[str, Any] = {"path": report.path, "exists": report.exists, "usable": report.usable}
    if report.exists:
        shaped["bytes"] = report.bytes
    if report.message:
        shaped["message"] = report.message
    if not report.usable:
        return shaped
    shaped |= {
        "fresh": report.fresh, "branch": report.ref, "commit": report.commit, "generation": report.generation,
        "builtAt": report.built_at, "modes": list(report.modes), "files": report.files, "chunks": report.chunks,
        "symbols": report.symbols, "vectors": report.vectors,
    }  # fmt: skip
    if not report.commit:
        del shaped["commit"]
    if report.without_text:
        shaped["withoutText"] = report.without_text
    return shaped


def shape_indexed_ref(item: IndexedRef) -> dict[str, Any]:
    shaped = {
        "branch": item.ref, "commit": item.commit, "generation": item.generation, "indexedAt": item.indexed_at,
        "files": item.files, "symbols": item.symbols, "freshness": item.freshness,
    }  # fmt: skip
    return {key: value for key, value in shaped.items() if value != ""}


def shape_workspace(item: WorkspaceStatus) -> dict[str, Any]:
    status = item.status
    shaped: dict[str, Any] = {
        "repoPath": status.repo_root,
        "repoId": status.project_id,
        "default": item.is_default,
        "open": item.is_open,
        "branch": status.state.ref,
        "freshness": status.state.freshness,
        "indexing": status.state.indexing,
        "schema": status.state.schema,
        "bytes": item.bytes,
        "refs": [shape_indexed_ref(one) for one in item.refs],
    }
    if status.active_job is not None:
        shaped["activeJob"] = {"id": status.active_job.job_id, "status": status.active_job.status}
    if status.state.warnings:
        shaped["warnings"] = list(status.state.warnings)
    if item.portable is not None:
        shaped["sqlite"] = shape_portable(item.portable)
    return shaped


def shape_setting(item: EffectiveSetting) -> dict[str, Any]:
    """Shape a setting with its origin; the value of a secret is not shown."""
    value = item.value
    if item.secret:
        value = HIDDEN if value else ""
    elif isinstance(value, str):
        value = redact_secrets(value)
    elif isinstance(value, tuple):
        value = list(value)
    return {"value": value, "origin": item.origin or "default"}
