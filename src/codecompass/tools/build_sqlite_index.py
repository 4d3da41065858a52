"""Tool `build_sqlite_index`: write a view as one portable SQLite file, the backend `sqlite` of search."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UNSET, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.model.states import MODES, BuildMode
from codecompass.tools.shapes.portable_shapes import shape_portable


class BuildSqliteIndexParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    branch: Ref | UnsetType = UNSET
    mode: BuildMode = "all"
    incremental: Annotated[bool, Meta(description="Keep a file that is current.")] = False
    out: Annotated[str, Meta(max_length=4096, pattern=r"\S", description="Write a copy there instead.")] | UnsetType = (
        UNSET
    )


def run(host: Host, call: Call, params: BuildSqliteIndexParams) -> Answer:
    modes = MODES if params.mode == "all" else (params.mode,)
    order = PortableBuildRequest(unset_to_none(params.branch), modes, unset_to_none(params.out), params.incremental)
    return Answer(_build_payload(params.mode, host.engine.build_portable(unset_to_none(params.repoPath), order, call)))


def _build_payload(mode: str, made: PortableReport) -> dict[str, Any]:
    shaped = shape_portable(made)
    del shaped["exists"], shaped["usable"]
    return {
        "ok": True,
        "mode": mode,
        "outPath": shaped.pop("path"),
        "outputPaths": dict.fromkeys(made.modes, made.path),
        "built": made.built,
        **shaped,
    }


TOOL = Tool(
    name="build_sqlite_index",
    family="cleats",
    summary="Write the index out as one SQLite file that any SQLite reads; search's backend sqlite uses it.",
    params=BuildSqliteIndexParams,
    run=run,
    effects=("write", "execute"),
    toolsets=("admin",),
    errors=(
        "INVALID_REQUEST", "PROJECT_NOT_FOUND", "FORBIDDEN", "NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE",
        "INDEX_IN_PROGRESS", "TOOL_TIMEOUT", "CANCELLED", "DISK_FULL", "INTERNAL",
    ),
)  # fmt: skip
