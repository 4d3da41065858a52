"""Answers of `/mcp` on their way out: every protocol error gets its code; answers to a batch are collected.

The SDK answers one message with one response, as JSON or as a stream of events. Both are understood here.
"""

from typing import Any

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Send

from codecompass.contract.encoding import encode
from codecompass.surfaces.http.api.answers import JSON
from codecompass.surfaces.mcp.rpc_errors import complete_error

DATA = b"data: "
SIGN = b'"error"'
"""What stands in every error answer; without it nothing is looked at."""


class CodedAnswer:
    """A `send` that passes a response on, with a code in every protocol error that has none."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        """The head of a JSON response, held back until its body is known."""
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json(message):
            self._start = message
        elif message["type"] != "http.response.body":
            await self._send(message)
        elif self._start is None:
            await self._send({**message, "body": _coded_events(message.get("body", b""))})
        else:
            await self._hold(message)

    async def _hold(self, message: Message) -> None:
        self._body += message.get("body", b"")
        if message.get("more_body", False) or self._start is None:
            return
        body = _coded(self._body)
        headers = MutableHeaders(raw=list(self._start.get("headers", ())))
        headers["content-length"] = str(len(body))
        await self._send({**self._start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})
        self._start = None


class CollectedAnswer:
    """A `send` that keeps the answer to one message of a batch, and lets progress go."""

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
        """The answer, encoded; none for a message that has none."""
        if self._json:
            return [_coded(self._body)] if self._body else []
        lines = [line[len(DATA) :] for line in self._body.splitlines() if line.startswith(DATA)]
        return [_coded(line) for line in lines if _is_answer(_decoded(line))]


def _is_json(message: Message) -> bool:
    kind = Headers(raw=list(message.get("headers", ()))).get("content-type", "")
    return kind.split(";")[0].strip() == JSON


def _is_answer(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, dict) and ("result" in value or "error" in value)


def _decoded(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _coded(text: bytes) -> bytes:
    """One message, with a code if it is an error without one; anything else as it is."""
    if SIGN not in text:
        return text
    message = _decoded(text)
    return encode(message) if isinstance(message, dict) and complete_error(message) else text


def _coded_events(chunk: bytes) -> bytes:
    """A piece of a stream. The SDK writes each event in one piece; a line that is not whole stays as it is."""
    if SIGN not in chunk:
        return chunk
    lines = chunk.split(b"\n")
    return b"\n".join(_coded_line(line) for line in lines)


def _coded_line(line: bytes) -> bytes:
    if not line.startswith(DATA):
        return line
    end = b"\r" if line.endswith(b"\r") else b""
    return DATA + _coded(line[len(DATA) : len(line) - len(end)]) + end
