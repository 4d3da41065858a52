"""Tool `compact_sqlite_index`: rewrite databases without their free pages; no row is lost."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CompactedDatabase, CompactRequest
from codecompass.tools.shapes.maintenance_shapes import COMMON_ERRORS, SLOW_MS, DryRun, expand_mode


class CompactSqliteIndexParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    mode: Annotated[Literal["all", "code", "prose"], Meta(description="all: also the index's own catalog.")] = "all"
    dryRun: DryRun = False
    keepBackup: bool = False


def run(host: Host, call: Call, params: CompactSqliteIndexParams) -> Answer:
    order = CompactRequest(expand_mode(params.mode), params.dryRun, params.keepBackup)
    done = host.engine.compact(unset_to_none(params.repoPath), order, call)
    payload = {
        "ok": True,
        "repoPath": done.root,
        "mode": params.mode,
        "dryRun": done.dry_run,
        "databases": [_shape_database(part) for part in done.parts],
        "freedBytes": sum(part.before - part.after for part in done.parts if part.status == "compacted"),
        "warnings": list(done.warnings),
    }
    return Answer(payload, warnings=done.warnings)


def _shape_database(part: CompactedDatabase) -> dict[str, Any]:
    shaped: dict[str, Any] = {"name": part.part, "path": part.path, "status": part.status}
    if part.status != "missing":
        shaped["bytesBefore"] = part.before
    if part.status == "compacted":
        shaped |= {"bytesAfter": part.after, "rows": part.rows}
    return shaped | ({"backup": part.backup} if part.backup else {})


TOOL = Tool(
    name="compact_sqlite_index",
    family="cleats",
    summary="Write the SQLite databases of the index anew without free pages; every row is compared before the swap.",
    params=CompactSqliteIndexParams,
    run=run,
    effects=("write",),
    slow_ms=SLOW_MS,
    toolsets=("admin",),
    errors=(*COMMON_ERRORS, "INDEX_INCOMPATIBLE"),
)
