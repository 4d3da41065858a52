"""Tool `sync_repo`: update the index to the current files."""

from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call


class SyncRepoParams(Params, frozen=True, kw_only=True):
    force: bool = False
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: SyncRepoParams) -> Answer:
    call.check()
    workspace, ref = unset_to_none(params.workspace), unset_to_none(params.ref)
    job = host.engine.start_job(workspace, ref, mode="full" if params.force else "incremental", force=params.force)
    payload = {"job_id": job.job_id, "status": job.status, "mode": job.mode, "changed_files": job.changed_files}
    return Answer(payload, host.engine.describe(workspace, ref))


TOOL = Tool(
    name="sync_repo",
    quick=True,
    family="compass",
    summary="Update the index with changed files; returns a job at once.",
    params=SyncRepoParams,
    run=run,
    effects=("write", "job"),
    errors=(
        "PROJECT_NOT_FOUND",
        "WORKSPACE_NOT_REGISTERED",
        "SYNC_IN_PROGRESS",
        "INDEX_IN_PROGRESS",
        "FORBIDDEN",
        "INTERNAL",
    ),  # fmt: skip
)
