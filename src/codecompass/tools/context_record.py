"""Tool `context_record`: record a decision, rule, pattern or issue for later sessions."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.shapes.memory_shapes import shape_discovery
from codecompass.contract.tool import Answer, Host, Params, SessionNoteRule, Tool
from codecompass.model.call import Call
from codecompass.model.memory_values import MAX_CONTENT, MIN_CONTENT, NewDiscovery
from codecompass.model.states import DiscoveryType

MAX_NAMES = 20
Content = Annotated[str, Meta(min_length=MIN_CONTENT, max_length=MAX_CONTENT)]
Module = Annotated[str, Meta(max_length=200)]
Names = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...], Meta(max_length=MAX_NAMES)]
Ids = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=64)], ...], Meta(max_length=MAX_NAMES)]


class ContextRecordParams(Params, frozen=True, kw_only=True):
    content: Content
    type: DiscoveryType = "decision"
    module: Module | UnsetType = UNSET
    symbols: Names = ()
    supersedes: Ids = ()
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ContextRecordParams) -> Answer:
    workspace = unset_to_none(params.workspace)
    new = NewDiscovery(
        content=params.content,
        type=params.type,
        module=unset_to_none(params.module) or "",
        symbols=params.symbols,
        supersedes=params.supersedes,
        author=call.client,
        session=call.session,
    )
    made = host.engine.remember(workspace, new, call)
    payload: dict[str, Any] = {"discovery": shape_discovery(made), "redacted": made.redacted}
    warnings = ("Something that looked like a secret was left out.",) if made.redacted else ()
    payload["suggested_next_actions"] = [{"tool": "context_search", "query": made.content[:100]}]
    return Answer(payload, host.engine.describe(workspace, None), warnings=warnings)


TOOL = Tool(
    name="context_record",
    family="compass",
    summary="Record a decision, rule, pattern or issue for later sessions; secrets are left out.",
    params=ContextRecordParams,
    run=run,
    effects=("write",),
    errors=(
        "INVALID_REQUEST", "FORBIDDEN", "PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "RESULT_NOT_FOUND", "NO_INDEX",
        "DISK_FULL", "INTERNAL",
    ),
    positional="content",
    noted=SessionNoteRule("record", result=("discovery", "id")),
)  # fmt: skip
