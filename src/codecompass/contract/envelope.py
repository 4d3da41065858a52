"""Envelopes: the metadata block, and Reply — the one shape in which every answer leaves the runtime."""

from dataclasses import dataclass, field
from typing import Any

from codecompass.contract.versions import PROTOCOL_VERSION, SCHEMA_VERSION, TOOL_VERSION
from codecompass.errors import Failure
from codecompass.model.queries.results import ViewState

UNKNOWN = "unknown"
UNKNOWN_STATE = ViewState(ref="live", freshness=UNKNOWN, indexing=UNKNOWN, schema=UNKNOWN)
"""What is said when nothing is known: never more than we can stand for."""


@dataclass(frozen=True, slots=True)
class RpcError:
    """An answer that must travel as an error of the protocol itself."""

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
    """What went wrong, for surfaces that word it themselves: exit codes, HTTP status, lines for people."""

    @property
    def code(self) -> str:
        return self.failure.code if self.failure else ""


def metadata(
    state: ViewState,
    completeness: str = "complete",
    extra: dict[str, Any] | None = None,
    warnings: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The six fields of Protocol v1, then whatever else the answer has to say about itself."""
    block: dict[str, Any] = {
        "codecompass_protocol_version": PROTOCOL_VERSION,
        "freshness_status": state.freshness,
        "indexing_status": state.indexing,
        "result_completeness": completeness,
        "ref": state.ref,
        "schema_status": state.schema,
    }
    block.update(extra or {})
    said = (*state.warnings, *warnings)
    if said:
        block["warnings"] = list(said)
    return block


def tool_meta(version: int) -> dict[str, Any]:
    """What each tool definition carries under `_meta`."""
    return {"schemaVersion": version, "toolingVersion": TOOL_VERSION}


def capability_block(capabilities: dict[str, Any]) -> dict[str, Any]:
    """The block under `capabilities.experimental.pairofcleats`."""
    return {"schemaVersion": SCHEMA_VERSION, "toolVersion": TOOL_VERSION, "capabilities": capabilities}
