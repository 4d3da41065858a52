"""Tool `config_status`: effective settings and their origins, versions, and capabilities."""

from typing import Any

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.contract.versions import PROTOCOL_VERSION, SCHEMA_VERSION, TOOL_VERSION
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import ExtensionProbeRequest, ExtensionReport, InstalledDownloads
from codecompass.model.maintenance.workspace_usage import Capabilities, ProjectInventory
from codecompass.tools.shapes.download_shapes import shape_dictionaries, shape_models
from codecompass.tools.shapes.portable_shapes import shape_portable, shape_setting


class ConfigStatusParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ConfigStatusParams) -> Answer:
    call.check()
    workspace = unset_to_none(params.repoPath)
    kept = host.engine.inventory(workspace)
    can, found = host.engine.get_capabilities(), host.engine.list_downloads(workspace)
    extension = host.engine.verify_extension(workspace, ExtensionProbeRequest(load=False))  # reading loads nothing
    return Answer(
        {
            "repoPath": kept.status.repo_root,
            "repoId": kept.status.project_id,
            "schemaVersion": SCHEMA_VERSION,
            "toolVersion": TOOL_VERSION,
            "protocolVersion": PROTOCOL_VERSION,
            "indexVersion": kept.status.required_schema_version,
            "capabilities": shape_capabilities(can),
            "config": {item.name: shape_setting(item) for item in host.settings},
            "cache": {
                "cacheRoot": kept.data_directory,
                "repoCacheRoot": kept.directory,
                "sqlite": shape_portable(kept.portable),
                "dictionaries": shape_dictionaries(found.dictionaries),
                "models": shape_models(found),
                "vectorExtension": {"available": extension.exists, "path": extension.path or None},
            },
            "warnings": _list_capability_warnings(can, kept) + _list_download_warnings(found, extension),
        },
        kept.status.state,
    )


def shape_capabilities(can: Capabilities) -> dict[str, Any]:
    """Shape the capabilities of this installation."""
    return {
        "docs": can.documents,
        "vector": {"sqliteVec": can.vectors},
        "backends": list(can.backends),
        "git": can.git,
        "linter": can.linter,
        "languages": can.languages,
    }


def _list_download_warnings(found: InstalledDownloads, extension: ExtensionReport) -> list[dict[str, str]]:
    """List warnings about word lists and extensions that can be downloaded."""
    lacking = {}
    if not found.dictionaries.files:
        lacking["dictionary_missing"] = "No word list is installed, so compounds stay whole; download_dictionaries."
    elif found.dictionaries.message:
        lacking["dictionary_changed"] = found.dictionaries.message
    if not extension.exists:
        lacking["extension_missing"] = "The vector extension of SQLite is not there; verify_extensions says why."
    return [{"code": code, "message": message} for code, message in lacking.items()]


def _list_capability_warnings(can: Capabilities, kept: ProjectInventory) -> list[dict[str, str]]:
    found = {f"{what}_missing": f"To have it: {how}." for what, how in can.extra.items()}
    if not can.model:
        found["model_missing"] = "No embedding model can be used; searches go by words and names."
    if not kept.portable.exists:
        found["sqlite_missing"] = "The SQLite index has not been built; build_sqlite_index makes it."
    return [{"code": code, "message": message} for code, message in found.items()]


TOOL = Tool(
    name="config_status",
    quick=True,
    family="cleats",
    summary="Settings in force and where each comes from, versions and capabilities.",
    params=ConfigStatusParams,
    run=run,
    toolsets=("admin",),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST", "INTERNAL"),
)
