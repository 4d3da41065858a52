"""Tool `triage_context_pack`: write a finding, similar decisions and related code to one file."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.shapes.triage_shapes import shape_pack
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.triage_values import ContextPackRequest


class TriageContextPackParams(Params, frozen=True, kw_only=True):
    recordId: str
    outPath: Annotated[str, Meta(description="A .json file.")] | UnsetType = UNSET
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: TriageContextPackParams) -> Answer:
    order = ContextPackRequest(params.recordId, unset_to_none(params.outPath) or "")
    made = host.engine.triage_pack(unset_to_none(params.repoPath), order, call)
    return Answer(shape_pack(made), warnings=made.surroundings.warnings)


TOOL = Tool(
    name="triage_context_pack",
    family="cleats",
    summary="Write a finding, like decisions and what the repository says (manifests, imports, calls, docs) to a file.",
    params=TriageContextPackParams,
    run=run,
    effects=("write",),
    toolsets=("admin",),
    errors=(
        "INVALID_REQUEST", "FORBIDDEN", "NOT_FOUND", "PROJECT_NOT_FOUND", "TOOL_TIMEOUT", "CANCELLED", "DISK_FULL",
        "INTERNAL",
    ),
)  # fmt: skip
