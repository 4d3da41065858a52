"""Tool `index_status`: what is indexed, how fresh it is, and active and recent jobs."""

from typing import Any

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.queries.results import ProjectStatus
from codecompass.model.queries.vector_state import SemanticState
from codecompass.tools.shapes import job_shapes
from codecompass.tools.shapes.download_shapes import shape_dictionaries, shape_models
from codecompass.tools.shapes.hit_shapes import assess_completeness, list_gap_warnings
from codecompass.tools.shapes.portable_shapes import shape_portable


class IndexStatusParams(Params, frozen=True, kw_only=True):
    ref: Ref | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET
    # The other document's name for the workspace. Without limits, to keep the tool list short.
    repoPath: str | UnsetType = UNSET


def run(host: Host, call: Call, params: IndexStatusParams) -> Answer:
    call.check()
    workspace, named = unset_to_none(params.workspace), unset_to_none(params.repoPath)
    if workspace is not None and named is not None:
        raise to_invalid_request(
            [make_violation("/repoPath", "not", "workspace and repoPath name the same thing; give one")]
        )
    workspace = workspace or named
    status = host.engine.status(workspace, unset_to_none(params.ref))
    payload: dict[str, Any] = job_shapes.shape_project(status)
    payload |= {
        "active_job": job_shapes.shape_active_job(status.active_job, status.project_id),
        "recent_jobs": [job_shapes.shape_past_job(job) for job in status.recent_jobs],
    }
    known = {
        "refs": list(status.refs),
        "languages": status.languages,
        "skipped": status.skipped,
        "partly_indexed": job_shapes.shape_partly_indexed(status.state.gaps),
        "index_bytes": status.index_bytes,
        "progress": job_shapes.shape_progress(status.state.progress),
        "interrupted_recovery_report": job_shapes.shape_recovery(status.recovery),
    }
    payload |= {key: value for key, value in known.items() if value}
    if status.state.indexing == "not_indexed" and status.active_job is None:
        payload["suggested_next_actions"] = [{"tool": "index_repo", "ref": status.state.ref}]
    payload |= _shape_cleats_fields(host, workspace, status)
    warnings = list_gap_warnings(status.state.gaps)
    return Answer(payload, status.state, assess_completeness(status.state, cut=False), warnings=warnings)


def _shape_cleats_fields(host: Host, workspace: str | None, status: ProjectStatus) -> dict[str, Any]:
    """Shape the same status in the fields of the other document."""
    git = {"head": status.state.current_head, "branch": status.branch}
    calls, failures = host.totals()
    kept = status.portable or host.engine.portable(workspace)
    found = host.engine.list_downloads(workspace)
    return {
        "repoPath": status.repo_root,
        "git": {"isRepo": status.is_repository} | {key: value for key, value in git.items() if value},
        "models": shape_models(found) | _shape_model(status.semantic),
        "dictionaries": shape_dictionaries(found.dictionaries),
        "index": {"bytes": status.index_bytes, "files": status.file_count, "modes": status.modes},
        "sqlite": shape_portable(kept),
        "metrics": {"calls": calls, "failures": failures},
    }  # fmt: skip


def _shape_model(state: SemanticState) -> dict[str, Any]:
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
    summary="If answers seem stale or missing: what is indexed, jobs.",
    params=IndexStatusParams,
    run=run,
    toolsets=("agent", "cleats"),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INTERNAL"),
)
