"""Tool `health_check`: health of the server, its storage and every project."""

from typing import Any

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.queries.results import Health, ProjectStatus
from codecompass.tools.shapes import job_shapes

_SCHEMA_STATES = ("corrupt_manifest", "reindex_required", "not_indexed", "compatible")
"""Schema states from worst to best: the startup check reports the worst of all projects."""


class HealthCheckParams(Params, frozen=True, kw_only=True):
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: HealthCheckParams) -> Answer:
    call.check()
    workspace = unset_to_none(params.workspace)
    health = host.engine.health(workspace)
    state = health.projects[0].state if health.projects else host.engine.describe(workspace, None)
    return Answer(_build_payload(health), state)


def _build_payload(health: Health) -> dict[str, Any]:
    busy = next((one for one in health.projects if one.active_job), None)
    recovered = next((one.recovery for one in health.projects if one.recovery), None)
    return {
        "status": health.status,
        "version": health.version,
        "uptime_seconds": health.uptime_seconds,
        "tantivy_ok": health.tantivy_ok,
        "sqlite_ok": health.sqlite_ok,
        "grammars": {"available": list(health.grammars_available), "missing": list(health.grammars_missing)},
        "active_job": job_shapes.shape_active_job(busy.active_job, busy.project_id) if busy else None,
        "interrupted_recovery_report": job_shapes.shape_recovery(recovered),
        "workspace_warmset": {
            "enabled": health.warmset_capacity > 0 and health.prewarm_status != "skipped",
            "capacity": health.warmset_capacity,
            "members": list(health.warmset),
        },
        "prewarm_status": health.prewarm_status,
        "startup_checks": {"index": _shape_startup_check(health), **_shape_records_check(health)},
        "projects": [_shape_project(one) for one in health.projects],
    }


def _shape_startup_check(health: Health) -> dict[str, Any]:
    worst = min(health.projects, key=lambda one: _SCHEMA_STATES.index(one.state.schema), default=None)
    shaped: dict[str, Any] = {"status": worst.state.schema if worst else "not_indexed"}
    if worst is not None:
        shaped |= {
            "current_schema_version": worst.schema_version,
            "required_schema_version": worst.required_schema_version,
        }
    return shaped | {"message": health.message or None}


def _shape_records_check(health: Health) -> dict[str, Any]:
    """Shape the check of recorded data; empty unless some of it is damaged."""
    damage = next((one.records_damage for one in health.projects if one.records_damage), "")
    return {"records": {"status": "damaged", "message": damage}} if damage else {}


def _shape_project(status: ProjectStatus) -> dict[str, Any]:
    return job_shapes.shape_project(status) | {"freshness_status": status.state.freshness}


TOOL = Tool(
    name="health_check",
    quick=True,
    family="compass",
    summary="Health of the server, its storage, grammars and projects.",
    params=HealthCheckParams,
    run=run,
    toolsets=("admin",),
    errors=("WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INTERNAL"),
)
