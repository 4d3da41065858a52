"""JSON shapes and parameters of the maintenance tools: builds and removals."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params
from codecompass.errors import ErrorCode
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import BuildReport, BuildRequest, GcReport, SkippedProject
from codecompass.model.states import MODES, BuildMode, TextMode
from codecompass.tools.shapes.portable_shapes import shape_portable

ARTIFACTS = "ci-artifacts"
COMMON_ERRORS: tuple[ErrorCode, ...] = (
    "INVALID_REQUEST", "PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INDEX_IN_PROGRESS",
    "TOOL_TIMEOUT", "CANCELLED", "DISK_FULL", "INTERNAL",
)  # fmt: skip
SLOW_MS = 300_000
"""Work on a whole repository may take this long before the log warns."""
DryRun = Annotated[bool, Meta(description="Only say what would happen.")]


class BuildIndexParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    branch: Ref | UnsetType = UNSET
    mode: Annotated[
        BuildMode,
        Meta(description="Narrows counts and sqlite."),
    ] = "all"
    incremental: bool = False
    sqlite: bool = True
    useArtifacts: bool = False
    artifactsDir: Annotated[str, Meta(max_length=4096, pattern=r"\S")] | UnsetType = UNSET


def run_build(host: Host, call: Call, params: BuildIndexParams) -> Answer:
    """Build the index and wait for it; shared with the alias."""
    named = unset_to_none(params.artifactsDir)
    order = BuildRequest(
        unset_to_none(params.branch), expand_mode(params.mode), params.incremental, params.sqlite,
        named or (ARTIFACTS if params.useArtifacts else None),
    )  # fmt: skip
    made = host.engine.build(unset_to_none(params.repoPath), order, call)
    return Answer(_shape_build(params, made), made.state, warnings=made.warnings)


def expand_mode(mode: BuildMode) -> tuple[TextMode, ...]:
    return MODES if mode == "all" else (mode,)


def _shape_build(params: BuildIndexParams, made: BuildReport) -> dict[str, Any]:
    shaped = {
        "ok": True,
        "repoPath": made.root,
        "mode": params.mode,
        "incremental": params.incremental,
        "sqlite": shape_portable(made.portable) if made.portable else False,
        "restoredArtifacts": made.restored,
        "buildId": made.job.job_id,
        "branch": made.state.ref,
        "generation": made.state.generation,
        "counts": dict(made.counts),
        "durations": dict(made.durations),
        "vectors": {"semantic": made.vectors.state, "files": made.vectors.covered, "filesTotal": made.vectors.total},
        "warnings": list(made.warnings),
    }
    return shaped | ({"commit": made.state.indexed_commit} if made.state.indexed_commit else {})


def shape_sweep(report: GcReport) -> dict[str, Any]:
    """Shape what a garbage collection removed and what it kept."""
    shaped: dict[str, Any] = {
        "ok": not report.failed,
        "dryRun": report.dry_run,
        "cacheRoot": report.data_directory,
        "repoPath": report.root,
        "totals": {"repos": report.projects, "bytes": report.bytes},
        "removals": [
            {"id": item.id, **_shape_root(item.root), "path": item.path, "bytes": item.bytes, "reason": item.reason}
            for item in report.removals
        ],
        "freedBytes": report.freed,
    }
    shaped |= {"kept": _shape_skipped(report.spared)} if report.spared else {}
    return shaped | ({"failedRemovals": _shape_skipped(report.failed)} if report.failed else {})


def _shape_skipped(items: tuple[SkippedProject, ...]) -> list[dict[str, str]]:
    return [{"id": item.id, **_shape_root(item.root), "reason": item.reason} for item in items]


def _shape_root(root: str) -> dict[str, str]:
    return {"root": root} if root else {}
