"""Tool `cancel_job`: cancel an indexing job; the published index stays in use."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.tools.shapes import job_shapes

JobId = Annotated[str, Meta(min_length=1, max_length=64, description="Default: the active job.")]


class CancelJobParams(Params, frozen=True, kw_only=True):
    job_id: JobId | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: CancelJobParams) -> Answer:
    call.check()
    workspace = unset_to_none(params.workspace)
    job = host.engine.cancel_job(workspace, unset_to_none(params.job_id))
    # The caller asked for the cancellation; a field `error` would look like a failed call.
    payload = {key: value for key, value in job_shapes.shape_past_job(job).items() if key != "error"}
    payload["suggested_next_actions"] = [{"tool": "sync_repo", "ref": job.ref}]
    return Answer(payload, host.engine.describe(workspace, None))


TOOL = Tool(
    name="cancel_job",
    quick=True,
    family="compass",
    summary="Stop an indexing job; the published index keeps answering.",
    params=CancelJobParams,
    run=run,
    effects=("write",),
    toolsets=("admin",),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "JOB_NOT_FOUND", "FORBIDDEN", "INTERNAL"),
)
