"""Tool `workspace_status`: registered workspaces with their indexed refs, freshness and sizes."""

from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.tools.shapes.portable_shapes import shape_workspace

FRAME_BYTES = 200


class WorkspaceStatusParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: WorkspaceStatusParams) -> Answer:
    call.check()
    found = [shape_workspace(item) for item in host.engine.list_workspaces(unset_to_none(params.repoPath))]
    kept = []
    room = host.defaults.max_response_bytes - FRAME_BYTES
    for item in found:
        room -= len(encode(item)) + 1
        if room < 0:
            break
        kept.append(item)
    payload = {"ok": True, "total": len(found), "workspaces": kept}
    if len(kept) < len(found):
        payload["truncated"] = True
    return Answer(payload)


TOOL = Tool(
    name="workspace_status",
    quick=True,
    family="cleats",
    summary="Registered workspaces: indexed refs, freshness, sizes. Without repoPath all of them.",
    params=WorkspaceStatusParams,
    run=run,
    toolsets=("admin",),
    errors=("WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST", "INTERNAL"),
)
