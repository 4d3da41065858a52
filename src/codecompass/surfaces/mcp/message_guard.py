"""Message guard: validates every message between the wire and the session.

The SDK does not answer unreadable lines, so a client would wait forever; it also accepts malformed envelopes. Here
every message becomes a valid one, an error to send at once, or nothing. Both framings use it.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import msgspec

from codecompass.contract import families
from codecompass.contract.codec import make_violation
from codecompass.contract.envelope import UNKNOWN_STATE
from codecompass.contract.prompts import COMPLETION_TOOL
from codecompass.contract.resources import RESOURCE_TOOL
from codecompass.errors import Failure
from codecompass.surfaces.mcp.batches import MAX_OPEN, PendingBatches, refuse_batch
from codecompass.surfaces.mcp.rpc_errors import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, Refusal
from codecompass.surfaces.mcp.wire import MAX_MESSAGE, TooLong

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that the handshake can agree on: those of the SDK, which legacy mode does not import."""
FALLBACK_VERSION = "2024-11-05"
BATCH_VERSIONS = ("2024-11-05", "2025-03-26")
"""Revisions that allow batches."""
ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
"""Its presence in `_meta` marks a request of the stateless protocol, which has no handshake."""
CALL_METHODS = ("tools/call", "resources/read", "completion/complete")
"""Methods that are queued for the engine."""
_INNER_TOOLS = {"resources/read": RESOURCE_TOOL, "completion/complete": COMPLETION_TOOL}
MAX_HELD_MESSAGES = 4
"""Calls in progress may hold this many times the bytes of the largest message."""


@dataclass(slots=True)
class AdmittedBatch:
    """A checked batch: the messages to handle, and the refusals of the others."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def requests(self) -> list[str]:
        """The ids of the messages that will be answered."""
        return [str(message["id"]) for message in self.messages if "id" in message]


def _accept_all(_name: object, _calls: int) -> Failure | None:
    return None


@dataclass(slots=True)
class MessageGuard:
    """State of one connection: whether it is initialized, and its unanswered request ids."""

    limit: int = MAX_MESSAGE
    """Maximum message size in bytes; also the unread output bytes above which calls are refused."""
    framed: bool = False
    """Whether messages are framed: then an empty one is an error, and every request needs the handshake."""
    opened: bool = False
    in_flight: dict[str, int | str] = field(default_factory=dict)
    """Unanswered ids, as text and as the client wrote them: 1 and "1" are the same."""
    refusal: Callable[[object, int], Failure | None] = _accept_all
    """Given a tool's name and the number of calls in progress, returns why another call is refused, or None."""
    version: str = ""
    """The agreed revision; empty before the handshake, and when every request has its own."""
    batches: PendingBatches = field(default_factory=PendingBatches)
    """The unanswered batches."""
    _sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of each call in progress."""

    def admit(self, data: bytes | TooLong, waiting: int = 0) -> "dict[str, Any] | Refusal | AdmittedBatch | None":
        """Check a message: return it, its refusal, a batch of both, or None when there is nothing to do.

        `waiting` is the number of output bytes that the client has not read yet.
        """
        if isinstance(data, TooLong):
            return Refusal(None, PARSE_ERROR, f"Parse error: a message is longer than {self.limit} bytes")
        if not data.strip() and not self.framed:
            return None
        message = self._parse(data)
        if isinstance(message, Refusal):
            return message
        if isinstance(message, list):
            return self._admit_batch(message, len(data), waiting)
        if not isinstance(message, dict):
            return Refusal(None, INVALID_REQUEST, "Invalid request: not an object")
        return self._admit_object(message, len(data), waiting)

    def _admit_batch(self, messages: list[Any], size: int, waiting: int) -> "AdmittedBatch | Refusal":
        """Check every message of a batch, or refuse the whole batch."""
        refusal = refuse_batch(len(messages), self.version, accepted=self.version in BATCH_VERSIONS)
        if refusal is not None:
            return refusal
        batch = AdmittedBatch()
        for message in messages:
            verdict = self._admit_batch_item(message, size // len(messages), waiting)
            if isinstance(verdict, Refusal):
                batch.refusals.append(verdict)
            elif verdict is not None:
                batch.messages.append(verdict)
        return batch

    def _admit_batch_item(self, message: object, size: int, waiting: int) -> dict[str, Any] | Refusal | None:
        if not isinstance(message, dict):
            return Refusal(None, INVALID_REQUEST, "Invalid request: not an object")
        if message.get("method") == "initialize" and _is_id(message.get("id")):
            return Refusal(message["id"], INVALID_REQUEST, "Invalid request: initialize must not be in a batch")
        if message.get("method") in CALL_METHODS and _is_id(message.get("id")) and self.batches.full:
            return _refuse_overload(
                message["id"], _build_overload("batches wait for their answers", MAX_OPEN, MAX_OPEN, "batches")
            )
        return self._admit_object(message, size, waiting)

    def release(self, request_id: object) -> bool:
        """Release a request id for reuse; return whether it was that of a call."""
        self.in_flight.pop(str(request_id), None)
        return self._sizes.pop(str(request_id), None) is not None

    def _parse(self, data: bytes) -> Any:  # noqa: ANN401 - any JSON value, or a Refusal
        try:
            return msgspec.json.decode(data)
        except RecursionError:
            return Refusal(None, PARSE_ERROR, "Parse error: nested too deeply")
        except (msgspec.MsgspecError, UnicodeDecodeError):
            if not self.framed and data[:15].lower() == b"content-length:":
                message = "Parse error: expected one JSON message a line; frames with a header need --mcp-mode legacy"
                return Refusal(None, PARSE_ERROR, message)
            return _refuse_undecodable(data)

    def _admit_object(self, message: dict[str, Any], size: int, waiting: int) -> dict[str, Any] | Refusal | None:
        request_id = message.get("id")
        known_id = request_id if _is_id(request_id) else None
        if message.get("jsonrpc") != "2.0":
            return Refusal(known_id, INVALID_REQUEST, "Invalid request: jsonrpc must be '2.0'")
        if "method" not in message and ("result" in message or "error" in message):
            # The server sends no requests, so an answer from a client is ignored.
            return None
        if not isinstance(message.get("method"), str):
            return Refusal(known_id, INVALID_REQUEST, "Invalid request: method must be a string")
        if "id" in message and known_id is None:
            return Refusal(None, INVALID_REQUEST, "Invalid request: id must be a string or a whole number")
        params = message.get("params", {})
        if not isinstance(params, dict):
            refusal = Refusal(known_id, INVALID_PARAMS, "Invalid params: params must be an object")
            return refusal if known_id is not None else None
        if "id" not in message:
            return self._admit_notification(message, params)
        refusal_or_message = self._admit_request(message, params, size, waiting)
        if not isinstance(refusal_or_message, Refusal):
            self.in_flight[str(request_id)] = message["id"]
            if message["method"] in CALL_METHODS:
                self._sizes[str(request_id)] = size
        return refusal_or_message

    def _admit_notification(self, message: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
        meant = str(params.get("requestId"))
        if message["method"] == "notifications/cancelled" and meant in self.in_flight:
            # The SDK distinguishes 1 from "1"; the contract does not.
            return message | {"params": params | {"requestId": self.in_flight[meant]}}
        return message

    def _admit_request(
        self, message: dict[str, Any], params: dict[str, Any], size: int, waiting: int
    ) -> dict[str, Any] | Refusal:
        request_id, method = message["id"], message["method"]
        if str(request_id) in self.in_flight:
            return Refusal(request_id, INVALID_REQUEST, "Invalid request: a request with this id is still running")
        meta = params.get("_meta")
        enveloped = not self.framed and isinstance(meta, dict) and ENVELOPE_KEY in meta
        if method == "initialize":
            version = params.get("protocolVersion")
            if isinstance(version, str) and version not in HANDSHAKE_VERSIONS:
                # The SDK would answer with its newest revision; a client that knows none of ours must get the oldest.
                message = message | {"params": params | {"protocolVersion": FALLBACK_VERSION}}
        elif not self.opened and not enveloped and method != "ping":
            return Refusal(request_id, INVALID_REQUEST, "Invalid request: the connection is not initialized")
        if method in CALL_METHODS:
            if wrong := _CALL_CHECKS[method](params):
                data = {"code": "INVALID_REQUEST", "message": "Invalid params", "details": wrong}
                return Refusal(request_id, INVALID_PARAMS, "Invalid params: " + str(wrong[0]["message"]), data)
            # Checked before the session sees it, so that refusing a burst is cheap.
            if crowd := self._check_memory(size, waiting) or self.refusal(
                params.get("name", _INNER_TOOLS.get(method)), len(self._sizes)
            ):
                return _refuse_overload(request_id, crowd)
        self.opened = self.opened or enveloped or method == "initialize"
        if method == "initialize":
            self.version = str(message["params"].get("protocolVersion", "")) if "params" in message else ""
        return message

    def _check_memory(self, size: int, waiting: int) -> Failure | None:
        """Return the failure if one more call would exceed the memory limits, else None."""
        if waiting >= self.limit:
            return _build_overload("answers wait to be read", self.limit, waiting)
        held = sum(list(self._sizes.values())) + size
        return (
            _build_overload("requests wait for their answers", MAX_HELD_MESSAGES * self.limit, held)
            if held > MAX_HELD_MESSAGES * self.limit
            else None
        )


def _build_overload(what: str, most: int, size: int, unit: str = "bytes") -> Failure:
    message = f"{size} {unit} of {what}; no more calls are taken." if unit == "bytes" else f"{size} {what}."
    return Failure("QUEUE_OVERLOADED", message, {"queue": {"max": most, "size": size, "unit": unit}})


def _refuse_overload(request_id: int | str, failure: Failure) -> Refusal:
    error = families.render_failure("compass", failure, UNKNOWN_STATE).rpc_error
    assert error is not None, "a full queue is an error of the protocol in every family"
    return Refusal(request_id, error.code, error.message, error.data)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _find_call_violations(params: dict[str, Any]) -> list[dict[str, object]]:
    wrong = []
    if not isinstance(params.get("name"), str):
        wrong.append(make_violation("/name", "type", "name must be a string", type="string"))
    if not isinstance(params.get("arguments", {}), dict):
        wrong.append(make_violation("/arguments", "type", "arguments must be an object", type="object"))
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        wrong.append(make_violation("/_meta", "type", "_meta must be an object", type="object"))
    elif not _is_id(meta.get("progressToken", "")):
        wrong.append(make_violation("/_meta/progressToken", "type", "progressToken must be a string or a whole number"))
    return wrong


def _find_read_violations(params: dict[str, Any]) -> list[dict[str, object]]:
    if isinstance(params.get("uri"), str):
        return []
    return [make_violation("/uri", "type", "uri must be a string", type="string")]


def _find_completion_violations(params: dict[str, Any]) -> list[dict[str, object]]:
    ref, argument = params.get("ref"), params.get("argument")
    if not isinstance(ref, dict) or not isinstance(ref.get("type"), str):
        return [make_violation("/ref", "type", "ref must be an object with a type", type="object")]
    if not isinstance(argument, dict) or not all(isinstance(argument.get(key), str) for key in ("name", "value")):
        return [make_violation("/argument", "type", "argument must be an object with name and value", type="object")]
    return []


_CALL_CHECKS: dict[str, Callable[[dict[str, Any]], list[dict[str, object]]]] = {
    "tools/call": _find_call_violations,
    "resources/read": _find_read_violations,
    "completion/complete": _find_completion_violations,
}
"""What is checked of the parameters of each call."""


def _refuse_undecodable(data: bytes) -> Refusal:
    """Refuse a message that does not decode. A lone surrogate is legal JSON: such a request has an id to answer."""
    try:
        value = json.loads(data.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Refusal(None, PARSE_ERROR, "Parse error: the message is not valid JSON")
    request_id = value.get("id") if isinstance(value, dict) else None
    if not _is_id(request_id) or (isinstance(request_id, str) and not request_id.isprintable()):
        return Refusal(None, PARSE_ERROR, "Parse error: the message holds text or numbers that cannot be represented")
    wrong = [make_violation("", "encoding", "text or a number cannot be represented")]
    data_ = {"code": "INVALID_REQUEST", "message": "Invalid params", "details": wrong}
    return Refusal(request_id, INVALID_PARAMS, "Invalid params: text or a number cannot be represented", data_)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
