"""Tool `triage_ingest`: store the findings of a scanner as records of the project."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.shapes.triage_shapes import shape_ingest
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.states import FindingSource
from codecompass.model.triage_values import IngestRequest


class TriageIngestParams(Params, frozen=True, kw_only=True):
    source: FindingSource
    inputPath: Annotated[str, Meta(description="JSON or JSONL.")]
    meta: Annotated[dict[str, Any], Meta(description="service, env, team, owner, repo, exposure.")] | UnsetType = UNSET
    buildIndex: Annotated[bool, Meta(description="Count what search finds.")] = False
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: TriageIngestParams) -> Answer:
    order = IngestRequest(params.source, params.inputPath, unset_to_none(params.meta) or {}, params.buildIndex)
    made = host.engine.triage_ingest(unset_to_none(params.repoPath), order, call)
    return Answer(shape_ingest(made, host.defaults.max_response_bytes), warnings=made.warnings)


TOOL = Tool(
    name="triage_ingest",
    family="cleats",
    summary="Take in findings of a scanner as records that search finds in mode records. Again: only changes.",
    params=TriageIngestParams,
    run=run,
    effects=("write",),
    toolsets=("admin",),
    errors=(
        "INVALID_REQUEST", "FORBIDDEN", "FILE_NOT_FOUND", "PROJECT_NOT_FOUND", "TOOL_TIMEOUT", "CANCELLED", "DISK_FULL",
        "INTERNAL",
    ),
)  # fmt: skip
