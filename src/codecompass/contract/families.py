"""Tool families: how compass, cleats and context tools render successes, failures and rejected arguments.

Tool handlers never look at the family. A row holds the functions that turn a success, a failure and rejected arguments
into a Reply. Errors that all families render alike (an unknown tool, a full queue) are below the table.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codecompass.contract.codec import encode_payload
from codecompass.contract.envelope import UNKNOWN, UNKNOWN_STATE, Reply, RpcError, metadata
from codecompass.contract.hidden_text import hidden_text_note, with_warning
from codecompass.contract.tool import Answer
from codecompass.errors import BY_NAME, Failure
from codecompass.model.code.coverage import describe_gaps
from codecompass.model.queries.results import ViewState
from codecompass.model.secrecy import MASK, MASK_NOTE

_SEARCHED_FOR = ("SYMBOL_NOT_FOUND", "RESULT_NOT_FOUND")
"""Codes of failures to find something."""
_WITHOUT_ANSWER = ("INDEX_INCOMPATIBLE", "INTERNAL", "TOOL_TIMEOUT", "CANCELLED")
"""Codes after which the answer is unknown."""


def _reply(payload: dict[str, Any], failure: Failure | None = None) -> Reply:
    clean, body = encode_payload(payload)
    return Reply(clean, body, is_error=failure is not None, failure=failure)


@dataclass(frozen=True, slots=True)
class Rules:
    """The functions that render the answers of one family."""

    success: Callable[[Answer], Reply]
    warned: Callable[[Answer, str], Answer]
    """Adds a warning to an answer."""
    failure: Callable[[Failure, ViewState, str], Reply]
    rejection: Callable[[Failure, ViewState, str], Reply]


def _compass_success(answer: Answer) -> Reply:
    block = metadata(answer.state or UNKNOWN_STATE, answer.completeness, answer.extra, answer.warnings)
    reply = _reply({**answer.payload, "metadata": block})
    return reply if MASK not in reply.body else _reply({**answer.payload, "metadata": _with_mask_note(block)})


def _compass_failure(failure: Failure, state: ViewState, _tool: str) -> Reply:
    error: dict[str, Any] = {"code": failure.row.compass, "message": failure.message}
    data = dict(failure.details)
    if failure.advice:
        data.setdefault("suggestion", failure.advice)
    if data:
        error["data"] = data
    state = agreeing_state(failure, state)
    hidden = failure.code in _SEARCHED_FOR and bool(state.gaps)  # it may be in a file that is not fully indexed
    block = metadata(
        state,
        "partial" if hidden or failure.code in _WITHOUT_ANSWER else "complete",
        warnings=(describe_gaps(state.gaps),) if hidden else (),
    )
    return _reply({"error": error, "metadata": block}, failure)


def agreeing_state(failure: Failure, state: ViewState) -> ViewState:
    """Adjust the state of the view to a failure: an index that cannot be used is neither ready nor fresh."""
    if failure.code != "INDEX_INCOMPATIBLE" or failure.details.get("part") == "portable":
        return state
    schema = str(failure.details.get("schema_status", state.schema))
    if schema == "compatible":
        schema = UNKNOWN
    indexing = state.indexing if state.indexing == "indexing" else "failed"
    return replace(state, freshness="stale", indexing=indexing, schema=schema)


def _bare_success(answer: Answer) -> Reply:
    reply = _reply(answer.payload)
    return reply if MASK not in reply.body else _reply(_with_mask_note(answer.payload))


def _with_mask_note(holder: dict[str, Any]) -> dict[str, Any]:
    """Add the warning that something in the answer is masked."""
    return {**holder, "warnings": [*holder.get("warnings", ()), MASK_NOTE]}


def _compass_warned(answer: Answer, text: str) -> Answer:
    return replace(answer, warnings=(*answer.warnings, text))


def _bare_warned(answer: Answer, text: str) -> Answer:
    return replace(answer, payload=with_warning(answer.payload, text))


def _cleats_failure(failure: Failure, _state: ViewState, _tool: str) -> Reply:
    payload: dict[str, Any] = {"ok": False, "code": failure.row.cleats, "message": failure.message}
    if failure.advice:
        payload["hint"] = failure.advice
    details = dict(failure.details)
    # The document has these beside the message, and everything else in `details`.
    payload.update({key: details.pop(key) for key in ("timeoutMs", "stdout", "stderr") if key in details})
    if details:
        payload["details"] = details
    return _reply(payload, failure)


def _cleats_rejection(failure: Failure, _state: ViewState, _tool: str) -> Reply:
    data = {"code": failure.row.cleats, "message": failure.message, "details": failure.details.get("violations", [])}
    return Reply(is_error=True, rpc_error=RpcError(failure.row.rpc, failure.message, data), failure=failure)


def _context_failure(failure: Failure, _state: ViewState, tool: str) -> Reply:
    payload: dict[str, Any] = {"error": failure.message}
    words = RUNTIME_WORDS.get(tool)
    if words is not None and failure.code in RUNTIME_CODES:
        payload = {"error": words[0], "message": failure.message, "fallback": words[1]}
    payload |= {"tool": tool, "code": failure.row.cleats} | failure.details
    if failure.advice:
        payload.setdefault("suggestion", failure.advice)
    return _reply(payload, failure)


def _context_rejection(failure: Failure, _state: ViewState, tool: str) -> Reply:
    violations = failure.details.get("violations", [])
    summary = _too_short(violations) or "Invalid parameters"
    payload = {"error": summary, "message": failure.message, "tool": tool, "code": failure.row.cleats}
    return _reply(payload | {"details": violations}, failure)


def _too_short(violations: Any) -> str:  # noqa: ANN401 - a list of JSON objects
    """Return the documented message when the only violation is a text that is too short, else an empty string."""
    if len(violations) != 1 or violations[0]["keyword"] != "minLength":
        return ""
    least = violations[0]["params"].get("limit", 1)
    name = str(violations[0]["instancePath"]).lstrip("/").capitalize()
    return f"{name} must be at least {least} character{'' if least == 1 else 's'}"


RUNTIME_CODES = ("INTERNAL", "INDEX_INCOMPATIBLE", "DISK_FULL", "TOOL_TIMEOUT")
"""Failures of the work itself, for which document 002 has one general message."""
RUNTIME_WORDS = {"context_search": ("Search failed", "Try using grep_codebase for text search")}
"""The documented message and fallback for them, by tool."""

FAMILY_RULES = {
    "compass": Rules(_compass_success, _compass_warned, _compass_failure, _compass_failure),
    "cleats": Rules(_bare_success, _bare_warned, _cleats_failure, _cleats_rejection),
    "context": Rules(_bare_success, _bare_warned, _context_failure, _context_rejection),
}


def success(family: str, answer: Answer) -> Reply:
    """Render a tool's answer for its family; add a warning when the text has hidden characters."""
    reply = FAMILY_RULES[family].success(answer)
    warning = hidden_text_note(reply.body)
    return FAMILY_RULES[family].success(FAMILY_RULES[family].warned(answer, warning)) if warning else reply


def failure(family: str, error: Failure, state: ViewState, tool: str = "") -> Reply:
    """Render a tool's failure for its family; a full queue is a JSON-RPC error in every family."""
    if error.code == "QUEUE_OVERLOADED":
        return _protocol_error(error)
    rules = FAMILY_RULES[family]
    return (rules.rejection if "violations" in error.details else rules.failure)(error, state, tool)


def unknown_tool(name: str) -> Reply:
    """Render the call of an unknown tool. The name is shortened, because it is the caller's text."""
    shown = name.encode("utf-8", "replace").decode()[:100]
    return _protocol_error(Failure("NOT_FOUND", f"Unknown tool: {shown}"))


def _protocol_error(error: Failure) -> Reply:
    row = BY_NAME[error.code]
    data: dict[str, Any] = {"code": row.cleats, "message": error.message}
    if error.details:
        data["details"] = error.details
    return Reply(is_error=True, rpc_error=RpcError(row.rpc, error.message, data), failure=error)
