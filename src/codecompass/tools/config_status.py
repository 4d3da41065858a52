"""config_status: the settings in force with where each came from, versions, and what this installation can do."""

from typing import Any

from codecompass.contract.fields import UNSET, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.contract.versions import PROTOCOL_VERSION, SCHEMA_VERSION, TOOL_VERSION
from codecompass.model.call import Call
from codecompass.model.custody import Abilities, Inventory
from codecompass.tools.custody import portable, setting


class ConfigStatusParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ConfigStatusParams) -> Answer:
    call.check()
    kept = host.engine.inventory(given(params.repoPath))
    can = host.engine.abilities()
    return Answer(
        {
            "repoPath": kept.status.repo_root,
            "repoId": kept.status.project_id,
            "schemaVersion": SCHEMA_VERSION,
            "toolVersion": TOOL_VERSION,
            "protocolVersion": PROTOCOL_VERSION,
            "indexVersion": kept.status.required_schema_version,
            "capabilities": capabilities(can),
            "config": {item.name: setting(item) for item in host.settings},
            "cache": {
                "cacheRoot": kept.data_directory,
                "repoCacheRoot": kept.directory,
                "sqlite": portable(kept.portable),
            },
            "warnings": _warnings(can, kept),
        },
        kept.status.state,
    )


def capabilities(can: Abilities) -> dict[str, Any]:
    """What can be done here."""
    return {
        "docs": can.documents,
        "vector": {"sqliteVec": can.vectors},
        "backends": list(can.backends),
        "git": can.git,
        "linter": can.linter,
        "languages": can.languages,
    }


def _warnings(can: Abilities, kept: Inventory) -> list[dict[str, str]]:
    found = {f"{what}_missing": f"To have it: {how}." for what, how in can.extra.items()}
    if not can.vectors:
        found["model_missing"] = "No embedding model is installed; searches go by words and names."
    if not kept.portable.exists:
        found["sqlite_missing"] = "The SQLite index has not been built; build_sqlite_index makes it."
    return [{"code": code, "message": message} for code, message in found.items()]


TOOL = Tool(
    name="config_status",
    family="cleats",
    summary="Settings in force and where each comes from, versions and capabilities.",
    params=ConfigStatusParams,
    run=run,
    toolsets=("admin",),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST", "INTERNAL"),
)
