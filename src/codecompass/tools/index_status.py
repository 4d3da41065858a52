"""Tool `index_status`: what is indexed, how fresh it is, and active and recent jobs."""

from typing import Any

from codecompass.contract.codec import rejected, violation
from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.queries.results import ProjectStatus
from codecompass.model.queries.vector_state import SemanticState
from codecompass.tools.shapes import job_shapes
from codecompass.tools.shapes.download_shapes import dictionaries, models
from codecompass.tools.shapes.hit_shapes import completeness, gap_warnings
from codecompass.tools.shapes.portable_shapes import portable


class IndexStatusParams(Params, frozen=True, kw_only=True):
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET
    # The other document's name for the workspace. Without limits, to keep the tool list short.
    repoPath: str | UnsetType = UNSET


def run(host: Host, call: Call, params: IndexStatusParams) -> Answer:
    call.check()
    workspace, named = given(params.workspace), given(params.repoPath)
    if workspace is not None and named is not None:
        raise rejected([violation("/repoPath", "not", "workspace and repoPath name the same thing; give one")])
    workspace = workspace or named
    status = host.engine.status(workspace, given(params.ref))
    payload: dict[str, Any] = job_shapes.project(status)
    payload |= {
        "active_job": job_shapes.active_job(status.active_job, status.project_id),
        "recent_jobs": [job_shapes.past_job(job) for job in status.recent_jobs],
    }
    known = {
        "refs": list(status.refs),
        "languages": status.languages,
        "skipped": status.skipped,
        "partly_indexed": job_shapes.partly_indexed(status.state.gaps),
        "index_bytes": status.index_bytes,
        "interrupted_recovery_report": job_shapes.recovery(status.recovery),
    }
    payload |= {key: value for key, value in known.items() if value}
    if status.state.indexing == "not_indexed" and status.active_job is None:
        payload["suggested_next_actions"] = [{"tool": "index_repo", "ref": status.state.ref}]
    payload |= _cleats(host, workspace, status)
    warnings = gap_warnings(status.state.gaps)
    return Answer(payload, status.state, completeness(status.state, cut=False), warnings=warnings)


def _cleats(host: Host, workspace: str | None, status: ProjectStatus) -> dict[str, Any]:
    """Shape the same status in the fields of the other document."""
    git = {"head": status.state.current_head, "branch": status.branch}
    calls, failures = host.totals()
    kept = status.portable or host.engine.portable(workspace)
    found = host.engine.supplies(workspace)
    return {
        "repoPath": status.repo_root,
        "git": {"isRepo": status.is_repository} | {key: value for key, value in git.items() if value},
        "models": models(found) | _models(status.semantic),
        "dictionaries": dictionaries(found.dictionaries),
        "index": {"bytes": status.index_bytes, "files": status.file_count, "modes": status.modes},
        "sqlite": portable(kept),
        "metrics": {"calls": calls, "failures": failures},
    }  # fmt: skip


def _models(state: SemanticState) -> dict[str, Any]:
    """Shape the embedding model and the state of its vectors: `semantic` is on, building or off."""
    known = {
        "name": state.model, "dimensions": state.dimensions, "files": state.covered, "files_total": state.total,
        "note": state.note,
    }  # fmt: skip
    shown = {key: value for key, value in known.items() if value}
    return {"available": bool(state.model), "semantic": state.state, **shown}


TOOL = Tool(
    name="index_status",
    quick=True,
    family="compass",
    summary="What is indexed, how fresh it is, running and recent jobs.",
    params=IndexStatusParams,
    run=run,
    toolsets=("agent", "cleats"),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INTERNAL"),
)
