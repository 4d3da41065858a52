"""Tool `check_status`: readiness of the server, its queue, and statistics of its calls."""

from typing import Any

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.contract.versions import SCHEMA_VERSION, TOOL_VERSION
from codecompass.model.call import Call


class CheckStatusParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: CheckStatusParams) -> Answer:
    call.check()
    health = host.engine.health(unset_to_none(params.repoPath))
    payload: dict[str, Any] = {
        "ok": health.status != "error",
        "status": health.status,
        "schemaVersion": SCHEMA_VERSION,
        "toolVersion": TOOL_VERSION,
        "uptimeMs": health.uptime_seconds * 1000,
        "projects": [
            {
                "repoPath": one.repo_root,
                "branch": one.state.ref,
                "freshness": one.state.freshness,
                "indexing": one.state.indexing,
                "files": one.file_count,
            }
            for one in health.projects
        ],
    }
    if health.message:
        payload["message"] = health.message
    if host.metrics is not None:
        counted = host.metrics()
        payload |= {"queue": counted["queue"], "metrics": counted["tools"]}
    return Answer(payload, health.projects[0].state if health.projects else None)


TOOL = Tool(
    name="check_status",
    quick=True,
    family="cleats",
    summary="Whether the server is ready: uptime, queue, and calls, failures and times of each tool.",
    params=CheckStatusParams,
    run=run,
    toolsets=("admin",),
    errors=("WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST", "INTERNAL"),
)
