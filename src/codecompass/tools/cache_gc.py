"""Tool `cache_gc`: remove derived data of unused projects by age and size; a dry run by default."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import GcRequest
from codecompass.tools.shapes.maintenance_shapes import COMMON_ERRORS, shape_sweep

GB = 2**30


class CacheGcParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    dryRun: Annotated[bool, Meta(description="false removes.")] = True
    maxBytes: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    maxGb: Annotated[float, Meta(ge=0)] | UnsetType = UNSET
    maxAgeDays: Annotated[float, Meta(ge=0)] | UnsetType = UNSET


def run(host: Host, call: Call, params: CacheGcParams) -> Answer:
    size, gigabytes = unset_to_none(params.maxBytes), unset_to_none(params.maxGb)
    if size is not None and gigabytes is not None:
        raise to_invalid_request([make_violation("/maxGb", "oneOf", "give maxBytes or maxGb, not both")])
    if gigabytes is not None:
        # Capped above the size of any disk, so that the number stays a finite integer.
        size = int(min(gigabytes, GB) * GB)
    order = GcRequest(size, unset_to_none(params.maxAgeDays), params.dryRun)
    report = host.engine.sweep(unset_to_none(params.repoPath), order, call)
    limits = {"maxBytes": order.max_bytes, "maxAgeDays": order.max_age_days}
    return Answer({**shape_sweep(report), "mode": "repo", "limits": {k: v for k, v in limits.items() if v is not None}})


TOOL = Tool(
    name="cache_gc",
    family="cleats",
    summary="Remove indexes of other repositories: gone ones, too old ones, the oldest beyond a size. Never this one, "
    "one in use, or records.",
    params=CacheGcParams,
    run=run,
    effects=("write", "delete"),
    toolsets=("admin",),
    errors=COMMON_ERRORS,
)
