"""Tool `clean_artifacts`: remove the derived data of one repository or all; recorded data stays."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CleanOrder
from codecompass.tools.shapes.maintenance_shapes import COMMON_ERRORS, DryRun, swept


class CleanArtifactsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    all: Annotated[bool, Meta(description="Every repository; needs confirm.")] = False
    confirm: bool = False
    dryRun: DryRun = False


def run(host: Host, call: Call, params: CleanArtifactsParams) -> Answer:
    order = CleanOrder(params.all, params.dryRun, params.confirm)
    report = host.engine.clean(given(params.repoPath), order, call)
    return Answer({**swept(report), "all": params.all, "confirmed": params.confirm})


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
