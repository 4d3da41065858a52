"""Tool families: how compass, cleats and context tools render successes, failures and rejected arguments.

Tool handlers never look at the family. A row holds the functions that turn a success, a failure and rejected arguments
into a Reply. Errors that all families render alike (an unknown tool, a full queue) are below the table.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codecompass.contract.codec import encode_payload
from codecompass.contract.envelope import UNKNOWN, UNKNOWN_STATE, Reply, RpcError, build_metadata
from codecompass.contract.hidden_text import add_warning, describe_hidden_text
from codecompass.contract.tool import Answer
from codecompass.errors import CODES_BY_NAME, ErrorCode, Failure
from codecompass.model.code.coverage import describe_gaps
from codecompass.model.queries.results import ViewState
from codecompass.model.secrecy import MASK, MASK_NOTE
from codecompass.model.states import parse_schema_state

_NOT_FOUND_CODES: tuple[ErrorCode, ...] = ("SYMBOL_NOT_FOUND", "RESULT_NOT_FOUND")
"""Codes of failures to find something."""
_UNKNOWN_RESULT_CODES: tuple[ErrorCode, ...] = ("INDEX_INCOMPATIBLE", "INTERNAL", "TOOL_TIMEOUT", "CANCELLED")
"""Codes after which the answer is unknown."""


def _build_reply(payload: dict[str, Any], failure: Failure | None = None) -> Reply:
    clean, body = encode_payload(payload)
    return Reply(clean, body, is_error=failure is not None, failure=failure)


@dataclass(frozen=True, slots=True)
class FamilyRenderer:
    """The functions that render the answers of one family."""

    success: Callable[[Answer], Reply]
    add_warning: Callable[[Answer, str], Answer]
    """Adds a warning to an answer."""
    failure: Callable[[Failure, ViewState, str], Reply]
    rejection: Callable[[Failure, ViewState, str], Reply]


def _compass_success(answer: Answer) -> Reply:
    block = build_metadata(answer.state or UNKNOWN_STATE, answer.completeness, answer.extra, answer.warnings)
    reply = _build_reply({**answer.payload, "metadata": block})
    return reply if MASK not in reply.body else _build_reply({**answer.payload, "metadata": _add_mask_note(block)})


def _compass_failure(failure: Failure, state: ViewState, _tool: str) -> Reply:
    error: dict[str, Any] = {"code": failure.error_code.compass, "message": failure.message}
    data = dict(failure.details)
    if failure.effective_hint:
        data.setdefault("suggestion", failure.effective_hint)
    if data:
        error["data"] = data
    state = adjust_state(failure, state)
    hidden = failure.code in _NOT_FOUND_CODES and bool(state.gaps)  # it may be in a file that is not fully indexed
    block = build_metadata(
        state,
        "partial" if hidden or failure.code in _UNKNOWN_RESULT_CODES else "complete",
        warnings=(describe_gaps(state.gaps),) if hidden else (),
    )
    return _build_reply({"error": error, "metadata": block}, failure)


def adjust_state(failure: Failure, state: ViewState) -> ViewState:
    """Adjust the state of the view to a failure: an index that cannot be used is neither ready nor fresh."""
    if failure.code != "INDEX_INCOMPATIBLE" or failure.details.get("part") == "portable":
        return state
    schema = parse_schema_state(failure.details.get("schema_status"), state.schema)
    if schema == "compatible":
        schema = UNKNOWN
    indexing = state.indexing if state.indexing == "indexing" else "failed"
    return replace(state, freshness="stale", indexing=indexing, schema=schema)


def _bare_success(answer: Answer) -> Reply:
    reply = _build_reply(answer.payload)
    return reply if MASK not in reply.body else _build_reply(_add_mask_note(answer.payload))


def _add_mask_note(holder: dict[str, Any]) -> dict[str, Any]:
    """Add the warning that something in the answer is masked."""
    return {**holder, "warnings": [*holder.get("warnings", ()), MASK_NOTE]}


def _add_compass_warning(answer: Answer, text: str) -> Answer:
    return replace(answer, warnings=(*answer.warnings, text))


def _add_bare_warning(answer: Answer, text: str) -> Answer:
    return replace(answer, payload=add_warning(answer.payload, text))


def _cleats_failure(failure: Failure, _state: ViewState, _tool: str) -> Reply:
    payload: dict[str, Any] = {"ok": False, "code": failure.error_code.cleats, "message": failure.message}
    if failure.effective_hint:
        payload["hint"] = failure.effective_hint
    details = dict(failure.details)
    # The document has these beside the message, and everything else in `details`.
    payload.update({key: details.pop(key) for key in ("timeoutMs", "stdout", "stderr") if key in details})
    if details:
        payload["details"] = details
    return _build_reply(payload, failure)


def _cleats_rejection(failure: Failure, _state: ViewState, _tool: str) -> Reply:
    data = {
        "code": failure.error_code.cleats,
        "message": failure.message,
        "details": failure.details.get("violations", []),
    }
    return Reply(is_error=True, rpc_error=RpcError(failure.error_code.rpc, failure.message, data), failure=failure)


def _context_failure(failure: Failure, _state: ViewState, tool: str) -> Reply:
    payload: dict[str, Any] = {"error": failure.message}
    words = RUNTIME_MESSAGES.get(tool)
    if words is not None and failure.code in RUNTIME_CODES:
        payload = {"error": words[0], "message": failure.message, "fallback": words[1]}
    payload |= {"tool": tool, "code": failure.error_code.cleats} | failure.details
    if failure.effective_hint:
        payload.setdefault("suggestion", failure.effective_hint)
    return _build_reply(payload, failure)


def _context_rejection(failure: Failure, _state: ViewState, tool: str) -> Reply:
    violations = failure.details.get("violations", [])
    summary = _describe_too_short(violations) or "Invalid parameters"
    payload = {"error": summary, "message": failure.message, "tool": tool, "code": failure.error_code.cleats}
    return _build_reply(payload | {"details": violations}, failure)


def _describe_too_short(violations: Any) -> str:  # noqa: ANN401 - a list of JSON objects
    """Return the documented message when the only violation is a text that is too short, else an empty string."""
    if len(violations) != 1 or violations[0]["keyword"] != "minLength":
        return ""
    least = violations[0]["params"].get("limit", 1)
    name = str(violations[0]["instancePath"]).lstrip("/").capitalize()
    return f"{name} must be at least {least} character{'' if least == 1 else 's'}"


RUNTIME_CODES: tuple[ErrorCode, ...] = ("INTERNAL", "INDEX_INCOMPATIBLE", "DISK_FULL", "TOOL_TIMEOUT")
"""Failures of the work itself, for which document 002 has one general message."""
RUNTIME_MESSAGES = {"context_search": ("Search failed", "Try using grep_codebase for text search")}
"""The documented message and fallback for them, by tool."""

FAMILY_RENDERERS = {
    "compass": FamilyRenderer(_compass_success, _add_compass_warning, _compass_failure, _compass_failure),
    "cleats": FamilyRenderer(_bare_success, _add_bare_warning, _cleats_failure, _cleats_rejection),
    "context": FamilyRenderer(_bare_success, _add_bare_warning, _context_failure, _context_rejection),
}


def render_success(family: str, answer: Answer) -> Reply:
    """Render a tool's answer for its family; add a warning when the text has hidden characters."""
    reply = FAMILY_RENDERERS[family].success(answer)
    warning = describe_hidden_text(reply.body)
    return FAMILY_RENDERERS[family].success(FAMILY_RENDERERS[family].add_warning(answer, warning)) if warning else reply


def render_failure(family: str, error: Failure, state: ViewState, tool: str = "") -> Reply:
    """Render a tool's failure for its family; a full queue is a JSON-RPC error in every family."""
    if error.code == "QUEUE_OVERLOADED":
        return _protocol_error(error)
    rules = FAMILY_RENDERERS[family]
    return (rules.rejection if "violations" in error.details else rules.failure)(error, state, tool)


def render_unknown_tool(name: str) -> Reply:
    """Render the call of an unknown tool. The name is shortened, because it is the caller's text."""
    shown = name.encode("utf-8", "replace").decode()[:100]
    return _protocol_error(Failure("NOT_FOUND", f"Unknown tool: {shown}"))


def _protocol_error(error: Failure) -> Reply:
    row = CODES_BY_NAME[error.code]
    data: dict[str, Any] = {"code": row.cleats, "message": error.message}
    if error.details:
        data["details"] = error.details
    return Reply(is_error=True, rpc_error=RpcError(row.rpc, error.message, data), failure=error)
