"""Tool `triage_decision`: record a decision about a finding; earlier decisions are kept."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.shapes.triage_shapes import shape_decision
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.states import DecisionKind
from codecompass.model.triage_values import DecisionRequest


class TriageDecisionParams(Params, frozen=True, kw_only=True):
    finding: Annotated[str, Meta(description="recordId.")]
    status: DecisionKind
    justification: str | UnsetType = UNSET
    reviewer: str | UnsetType = UNSET
    expires: Annotated[str, Meta(description="ISO date.")] | UnsetType = UNSET
    codes: list[str] | UnsetType = UNSET
    evidence: Annotated[list[str], Meta(description="path[:line], symbol, id or URL; checked.")] | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = UNSET
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: TriageDecisionParams) -> Answer:
    order = DecisionRequest(
        finding=params.finding,
        status=params.status,
        justification=unset_to_none(params.justification) or "",
        reviewer=unset_to_none(params.reviewer) or "",
        expires=unset_to_none(params.expires) or "",
        meta=unset_to_none(params.meta) or {},
        codes=tuple(unset_to_none(params.codes) or ()),
        evidence=tuple(unset_to_none(params.evidence) or ()),
    )
    return Answer(shape_decision(host.engine.triage_decide(unset_to_none(params.repoPath), order, call)))


TOOL = Tool(
    name="triage_decision",
    family="cleats",
    summary="Record a decision about a finding. The newest counts until it expires; earlier ones stay as history.",
    params=TriageDecisionParams,
    run=run,
    effects=("write", "decide"),
    toolsets=("admin",),
    errors=(
        "INVALID_REQUEST", "NOT_FOUND", "PROJECT_NOT_FOUND", "NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE",
        "DISK_FULL", "INTERNAL",
    ),
)  # fmt: skip
