"""Tool `index_build`: deprecated alias of `build_index`."""

from codecompass.contract.tool import Tool
from codecompass.tools.build_index import TOOL as BUILD_INDEX
from codecompass.tools.shapes.maintenance_shapes import SLOW_MS, BuildIndexParams, run_build

TOOL = Tool(
    name="index_build",
    family="cleats",
    summary="Deprecated alias of build_index.",
    params=BuildIndexParams,
    run=run_build,
    effects=("write",),
    slow_ms=SLOW_MS,
    toolsets=("admin",),
    errors=BUILD_INDEX.errors,
)
