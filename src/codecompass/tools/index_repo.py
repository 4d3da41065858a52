"""Tool `index_repo`: start indexing in the background and return its job."""

from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call


class IndexRepoParams(Params, frozen=True, kw_only=True):
    force: bool = False
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: IndexRepoParams) -> Answer:
    call.check()
    workspace, ref = unset_to_none(params.workspace), unset_to_none(params.ref)
    try:
        job = host.engine.start_job(workspace, ref, mode="full", force=params.force)
    except Failure as failure:
        if failure.code != "SYNC_IN_PROGRESS":
            raise
        # The document has one code for a job that blocks this tool, whatever the kind of job.
        raise Failure("INDEX_IN_PROGRESS", failure.message, failure.details) from failure
    payload = {"job_id": job.job_id, "status": job.status, "mode": job.mode, "file_count": job.file_count}
    return Answer(payload, host.engine.describe(workspace, ref))


TOOL = Tool(
    name="index_repo",
    quick=True,
    family="compass",
    summary="Start indexing; returns a job at once (index_status follows it). force rebuilds all.",
    params=IndexRepoParams,
    run=run,
    effects=("write", "job"),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "INDEX_IN_PROGRESS", "FORBIDDEN", "INTERNAL"),
)
