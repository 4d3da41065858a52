"""index_status: what is indexed, how current it is, and which jobs ran."""

from typing import Any

from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.tools import standing
from codecompass.tools.shaping import completeness


class IndexStatusParams(Params, frozen=True, kw_only=True):
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: IndexStatusParams) -> Answer:
    call.check()
    status = host.engine.status(given(params.workspace), given(params.ref))
    payload: dict[str, Any] = standing.project(status)
    payload |= {
        "active_job": standing.active_job(status.active_job, status.project_id),
        "recent_jobs": [standing.past_job(job) for job in status.recent_jobs],
    }
    known = {
        "refs": list(status.refs),
        "languages": status.languages,
        "skipped": status.skipped,
        "index_bytes": status.index_bytes,
        "interrupted_recovery_report": standing.recovery(status.recovery),
    }
    payload |= {key: value for key, value in known.items() if value}
    if status.state.indexing == "not_indexed" and status.active_job is None:
        payload["suggested_next_actions"] = [{"tool": "index_repo", "ref": status.state.ref}]
    return Answer(payload, status.state, completeness(status.state, cut=False))


TOOL = Tool(
    name="index_status",
    family="compass",
    summary="What is indexed, how fresh it is, running and recent jobs.",
    params=IndexStatusParams,
    run=run,
    toolsets=("agent",),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INTERNAL"),
)
