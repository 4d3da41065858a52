"""Tool `triage_decision`: record a decision about a finding; earlier decisions are kept."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, given
from codecompass.contract.shapes.triage_shapes import decision_payload
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.triage_values import DecisionOrder


class TriageDecisionParams(Params, frozen=True, kw_only=True):
    finding: Annotated[str, Meta(description="recordId.")]
    status: Literal["fix", "accept", "defer", "false_positive", "not_affected"]
    justification: str | UnsetType = UNSET
    reviewer: str | UnsetType = UNSET
    expires: Annotated[str, Meta(description="ISO date.")] | UnsetType = UNSET
    codes: list[str] | UnsetType = UNSET
    evidence: Annotated[list[str], Meta(description="path[:line], symbol, id or URL; checked.")] | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = UNSET
    repoPath: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: TriageDecisionParams) -> Answer:
    order = DecisionOrder(
        finding=params.finding,
        status=params.status,
        justification=given(params.justification) or "",
        reviewer=given(params.reviewer) or "",
        expires=given(params.expires) or "",
        meta=given(params.meta) or {},
        codes=tuple(given(params.codes) or ()),
        evidence=tuple(given(params.evidence) or ()),
    )
    return Answer(decision_payload(host.engine.triage_decide(given(params.repoPath), order, call)))


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
