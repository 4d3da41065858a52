"""Tool `build_index`: index a repository, write its SQLite file, and wait for both."""

from codecompass.contract.tool import Tool
from codecompass.tools.shapes.maintenance_shapes import COMMON_ERRORS, SLOW_MS, BuildIndexParams, run_build

TOOL = Tool(
    name="build_index",
    family="cleats",
    summary="Build the index and wait for it: build id, counts, durations, warnings.",
    params=BuildIndexParams,
    run=run_build,
    effects=("write",),
    slow_ms=SLOW_MS,
    toolsets=("admin",),
    errors=(*COMMON_ERRORS, "SYNC_IN_PROGRESS", "REF_NOT_INDEXED"),
)
