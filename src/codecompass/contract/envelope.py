"""Answer envelopes: the metadata block, and `Reply`, the form of every answer that leaves the runtime."""

from dataclasses import dataclass, field
from typing import Any, Final

from codecompass.contract.versions import PROTOCOL_VERSION, SCHEMA_VERSION, TOOL_VERSION
from codecompass.errors import Failure
from codecompass.model.queries.results import ViewState
from codecompass.model.states import Completeness

UNKNOWN: Final = "unknown"
UNKNOWN_STATE = ViewState(ref="live", freshness=UNKNOWN, indexing=UNKNOWN, schema=UNKNOWN)
"""The state reported when nothing is known about the view."""


@dataclass(frozen=True, slots=True)
class RpcError:
    """An answer that is sent as a JSON-RPC error."""

    code: int
    message: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """One terminal answer, before a surface frames it."""

    payload: dict[str, Any] = field(default_factory=dict)
    body: bytes = b"{}"
    """The payload as compact JSON, encoded once, so that every surface sends the same bytes."""
    is_error: bool = False
    rpc_error: RpcError | None = None
    failure: Failure | None = None
    """The failure, for surfaces that render it themselves: exit codes, HTTP status, terminal output."""

    @property
    def code(self) -> str:
        return self.failure.code if self.failure else ""


def build_metadata(
    state: ViewState,
    completeness: Completeness = "complete",
    extra: dict[str, Any] | None = None,
    warnings: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Build the six fields of Protocol v1, then further metadata and the warnings.

    Nothing is complete while the first index runs; an answer that was cut stays `truncated`.
    """
    if state.progress is not None and completeness == "complete":
        completeness = "partial"
    block: dict[str, Any] = {
        "codecompass_protocol_version": PROTOCOL_VERSION,
        "freshness_status": state.freshness,
        "indexing_status": state.indexing,
        "result_completeness": completeness,
        "ref": state.ref,
        "schema_status": state.schema,
    }
    if state.progress is not None:
        block["indexing_progress"] = state.progress.percent
    block.update(extra or {})
    all_warnings = (*state.warnings, *warnings)
    if all_warnings:
        block["warnings"] = list(all_warnings)
    return block


def build_tool_meta(version: int) -> dict[str, Any]:
    """Build the `_meta` of a tool definition."""
    return {"schemaVersion": version, "toolingVersion": TOOL_VERSION}


def build_capability_block(capabilities: dict[str, Any]) -> dict[str, Any]:
    """Build the block under `capabilities.experimental.pairofcleats`."""
    return {"schemaVersion": SCHEMA_VERSION, "toolVersion": TOOL_VERSION, "capabilities": capabilities}
