"""Tool `report_artifacts`: disk usage of a repository by part, and issues with any of them."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.tools.shapes.portable_shapes import shape_portable


class ReportArtifactsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    all: Annotated[bool, Meta(description="Also every other repository.")] = False


def run(host: Host, call: Call, params: ReportArtifactsParams) -> Answer:
    call.check()
    kept = host.engine.inventory(unset_to_none(params.repoPath), everything=params.all)
    others = [
        {"id": item.id, "bytes": item.bytes, "ownedBytes": item.owned, "usedAt": item.used_at}
        | ({"root": item.root} if item.root else {})
        for item in kept.projects
    ]
    return Answer(
        {
            "repo": {
                "root": kept.status.repo_root,
                "cacheRoot": kept.directory,
                "totalBytes": sum(kept.parts.values()),
                "artifacts": kept.parts,
                "sqlite": shape_portable(kept.portable) if kept.portable.exists else None,
            },
            "health": {"issues": list(kept.issues), "hints": list(kept.hints)},
            "overall": {
                "cacheRoot": kept.data_directory,
                "cacheBytes": kept.data_bytes,
                **{f"{name}Bytes": size for name, size in kept.shelves.items()},
            },
        }
        | (
            {"allRepos": {"repos": others, "totalBytes": sum(item.bytes for item in kept.projects)}}
            if params.all
            else {}
        ),
        kept.status.state,
    )


TOOL = Tool(
    name="report_artifacts",
    family="cleats",
    summary="Bytes on disk of every part of the index, what is wrong with any, and what to do.",
    params=ReportArtifactsParams,
    run=run,
    toolsets=("admin",),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST", "INTERNAL"),
)
