"""Post-processing of `/mcp` responses: add error codes to protocol errors, collect the answers of a batch.

The SDK answers one message with one response, as JSON or as a stream of events. Both are handled here.
"""

from typing import Any

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Send

from codecompass.contract.encoding import encode
from codecompass.surfaces.http.answers import JSON
from codecompass.surfaces.mcp.rpc_errors import complete_error

DATA = b"data: "
ERROR_MARK = b'"error"'
"""Present in every error answer; a body without it is not parsed."""


class ErrorCodeSender:
    """A `send` that adds an error code to every protocol error that has none."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        """The start of a JSON response, buffered until its body is complete."""
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json(message):
            self._start = message
        elif message["type"] != "http.response.body":
            await self._send(message)
        elif self._start is None:
            await self._send({**message, "body": _add_codes_to_events(message.get("body", b""))})
        else:
            await self._buffer_body(message)

    async def _buffer_body(self, message: Message) -> None:
        self._body += message.get("body", b"")
        if message.get("more_body", False) or self._start is None:
            return
        body = _add_error_code(self._body)
        headers = MutableHeaders(raw=list(self._start.get("headers", ())))
        headers["content-length"] = str(len(body))
        await self._send({**self._start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})
        self._start = None


class AnswerCollector:
    """A `send` that collects the answer to one message of a batch and drops progress."""

    def __init__(self) -> None:
        self._body = b""
        self._json = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._json = _is_json(message)
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")

    @property
    def answers(self) -> list[bytes]:
        """The encoded answer, or nothing for a notification."""
        if self._json:
            return [_add_error_code(self._body)] if self._body else []
        lines = [line[len(DATA) :] for line in self._body.splitlines() if line.startswith(DATA)]
        return [_add_error_code(line) for line in lines if _is_answer(_decode_json(line))]


def _is_json(message: Message) -> bool:
    kind = Headers(raw=list(message.get("headers", ()))).get("content-type", "")
    return kind.split(";")[0].strip() == JSON


def _is_answer(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, dict) and ("result" in value or "error" in value)


def _decode_json(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _add_error_code(text: bytes) -> bytes:
    """Add the error code to an error message that has none; other messages are unchanged."""
    if ERROR_MARK not in text:
        return text
    message = _decode_json(text)
    return encode(message) if isinstance(message, dict) and complete_error(message) else text


def _add_codes_to_events(chunk: bytes) -> bytes:
    """Add error codes to a chunk of a stream. The SDK writes each event as one chunk; a partial line is unchanged."""
    if ERROR_MARK not in chunk:
        return chunk
    lines = chunk.split(b"\n")
    return b"\n".join(_add_code_to_line(line) for line in lines)


def _add_code_to_line(line: bytes) -> bytes:
    if not line.startswith(DATA):
        return line
    end = b"\r" if line.endswith(b"\r") else b""
    return DATA + _add_error_code(line[len(DATA) : len(line) - len(end)]) + end
