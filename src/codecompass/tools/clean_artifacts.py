"""Tool `clean_artifacts`: remove the derived data of one repository or all; recorded data stays."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CleanRequest
from codecompass.tools.shapes.maintenance_shapes import COMMON_ERRORS, DryRun, shape_sweep


class CleanArtifactsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    all: Annotated[bool, Meta(description="Every repository; needs confirm.")] = False
    confirm: bool = False
    dryRun: DryRun = False


def run(host: Host, call: Call, params: CleanArtifactsParams) -> Answer:
    order = CleanRequest(params.all, params.dryRun, params.confirm)
    report = host.engine.clean(unset_to_none(params.repoPath), order, call)
    return Answer({**shape_sweep(report), "all": params.all, "confirmed": params.confirm})


TOOL = Tool(
    name="clean_artifacts",
    family="cleats",
    summary="Remove everything derived (index, text, SQLite file, caches) of a repository. Records stay.",
    params=CleanArtifactsParams,
    run=run,
    effects=("write", "delete"),
    toolsets=("admin",),
    errors=COMMON_ERRORS,
)
