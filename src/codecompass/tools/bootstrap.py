"""Tool `bootstrap`: prepare a workspace step by step and report the outcome of each step."""

from typing import Any

from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import BootstrapRequest, BootstrapStep
from codecompass.tools.shapes.maintenance_shapes import COMMON_ERRORS, SLOW_MS


class BootstrapParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    branch: Ref | UnsetType = UNSET
    skipInstall: bool = False
    skipDicts: bool = False
    skipTooling: bool = False
    skipArtifacts: bool = False
    skipIndex: bool = False
    withSqlite: bool = False
    incremental: bool = True


STEPS = {
    "skipInstall": "environment", "skipDicts": "dictionaries", "skipTooling": "extensions",
    "skipArtifacts": "artifacts", "skipIndex": "index",
}  # fmt: skip


def run(host: Host, call: Call, params: BootstrapParams) -> Answer:
    unwanted = frozenset(step for name, step in STEPS.items() if getattr(params, name))
    order = BootstrapRequest(unset_to_none(params.branch), unwanted, params.incremental, params.withSqlite)
    report = host.engine.bootstrap(unset_to_none(params.repoPath), order, call)
    return Answer(
        {
            "ok": report.ok,
            "repoPath": report.root,
            "incremental": params.incremental,
            "restoredArtifacts": report.restored,
            "steps": [_shape_step(step) for step in report.steps],
        }
    )


def _shape_step(step: BootstrapStep) -> dict[str, Any]:
    shaped: dict[str, Any] = {"name": step.name, "status": step.status, "ms": step.ms}
    return shaped | ({"reason": step.reason} if step.reason else {})


TOOL = Tool(
    name="bootstrap",
    family="cleats",
    summary="Prepare a repository: check the environment, fetch supplies, restore a CI index, index, write SQLite.",
    params=BootstrapParams,
    run=run,
    effects=("write", "network", "execute"),
    slow_ms=SLOW_MS,
    toolsets=("admin",),
    errors=COMMON_ERRORS,
)
