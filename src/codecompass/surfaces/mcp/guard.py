"""Guard: what stands between the wire and the SDK.

The SDK leaves unreadable lines unanswered, so a client would wait for ever; it also lets odd envelopes through. Here
every line becomes a message worth passing on, an error to answer at once, or nothing.
"""

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

import msgspec

from codecompass.contract.codec import violation
from codecompass.surfaces.mcp.wire import MAX_LINE, TooLong

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
FALLBACK_VERSION = "2024-11-05"
ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
"""Its presence in `_meta` marks a request of the stateless protocol, which knows no handshake."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error that is answered without the SDK ever seeing the message."""

    id: int | str | None
    code: int
    message: str
    data: dict[str, Any] | None = None


@dataclass(slots=True)
class Guard:
    """State of one connection: has it been opened, and which request ids are still without an answer."""

    versions: tuple[str, ...]
    """Revisions that the handshake can settle on."""
    opened: bool = False
    in_flight: set[str] = field(default_factory=set)

    def admit(self, line: bytes | TooLong) -> dict[str, Any] | Refusal | None:
        """A well-formed message, the refusal it deserves, or None when there is nothing to do."""
        if isinstance(line, TooLong):
            return Refusal(None, PARSE_ERROR, f"Parse error: a line is longer than {MAX_LINE} bytes")
        if not line.strip():
            return None
        message = _parse(line)
        if isinstance(message, Refusal):
            return message
        if not isinstance(message, dict):
            what = "batches are not supported" if isinstance(message, list) else "not an object"
            return Refusal(None, INVALID_REQUEST, f"Invalid request: {what}")
        return self._admit_object(message)

    def answered(self, request_id: object) -> None:
        """The id may be used again."""
        self.in_flight.discard(str(request_id))

    def _admit_object(self, message: dict[str, Any]) -> dict[str, Any] | Refusal | None:
        request_id = message.get("id")
        known_id = request_id if _is_id(request_id) else None
        if message.get("jsonrpc") != "2.0":
            return Refusal(known_id, INVALID_REQUEST, "Invalid request: jsonrpc must be '2.0'")
        if "method" not in message and ("result" in message or "error" in message):
            # We ask clients nothing, so an answer from one belongs to nobody.
            return None
        if not isinstance(message.get("method"), str):
            return Refusal(known_id, INVALID_REQUEST, "Invalid request: method must be a string")
        if "id" in message and known_id is None:
            return Refusal(None, INVALID_REQUEST, "Invalid request: id must be a string or a whole number")
        params = message.get("params", {})
        if not isinstance(params, dict):
            refusal = Refusal(known_id, INVALID_PARAMS, "Invalid params: params must be an object")
            return refusal if known_id is not None else None
        return self._admit_request(message, params) if "id" in message else message

    def _admit_request(self, message: dict[str, Any], params: dict[str, Any]) -> dict[str, Any] | Refusal:
        request_id, method = message["id"], message["method"]
        if str(request_id) in self.in_flight:
            return Refusal(request_id, INVALID_REQUEST, "Invalid request: a request with this id is still running")
        meta = params.get("_meta")
        enveloped = isinstance(meta, dict) and ENVELOPE_KEY in meta
        if method == "initialize":
            version = params.get("protocolVersion")
            if isinstance(version, str) and version not in self.versions:
                # The SDK would answer its newest revision; a client that knows none of ours must get the oldest.
                message = message | {"params": params | {"protocolVersion": FALLBACK_VERSION}}
        elif not self.opened and not enveloped and method != "ping":
            return Refusal(request_id, INVALID_REQUEST, "Invalid request: the connection is not initialized")
        if method == "tools/call" and (wrong := _wrong_call(params)):
            data = {"code": "INVALID_REQUEST", "message": "Invalid params", "details": wrong}
            return Refusal(request_id, INVALID_PARAMS, "Invalid params: " + str(wrong[0]["message"]), data)
        self.opened = self.opened or enveloped or method == "initialize"
        self.in_flight.add(str(request_id))
        return message


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _wrong_call(params: dict[str, Any]) -> list[dict[str, object]]:
    wrong = []
    if not isinstance(params.get("name"), str):
        wrong.append(violation("/name", "type", "name must be a string", type="string"))
    if not isinstance(params.get("arguments", {}), dict):
        wrong.append(violation("/arguments", "type", "arguments must be an object", type="object"))
    return wrong


def _parse(line: bytes) -> Any:  # noqa: ANN401 - any JSON value, or a Refusal
    try:
        return msgspec.json.decode(line)
    except RecursionError:
        return Refusal(None, PARSE_ERROR, "Parse error: nested too deeply")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _second_look(line)


def _second_look(line: bytes) -> Refusal:
    """A lone surrogate is legal JSON that no text can hold: such a request has an id, and deserves an answer to it."""
    try:
        value = json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Refusal(None, PARSE_ERROR, "Parse error: the line is not valid JSON")
    request_id = value.get("id") if isinstance(value, dict) else None
    if not _is_id(request_id) or (isinstance(request_id, str) and not request_id.isprintable()):
        return Refusal(None, PARSE_ERROR, "Parse error: the line holds text or numbers that cannot be represented")
    wrong = [violation("", "encoding", "text or a number cannot be represented")]
    data = {"code": "INVALID_REQUEST", "message": "Invalid params", "details": wrong}
    return Refusal(request_id, INVALID_PARAMS, "Invalid params: text or a number cannot be represented", data)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
