"""Helper messages: the frames between a server and the helper processes that answer calls for it."""

from typing import Any, Protocol

import msgspec

from codecompass.contract.tool import Answer

SIZE_BYTES = 4
READY = 0
"""Number of the reply that a helper sends when it is ready for calls."""


class HelperCall(msgspec.Struct, array_like=True, frozen=True):
    """One call for a helper, or the cancellation of the call with the same number."""

    number: int
    tool: str = ""
    arguments: Any = None
    seconds: float | None = None
    """Seconds until the deadline."""
    client: str = ""
    session: str = ""
    trusted: bool = False
    cancelled: bool = False


class HelperReply(msgspec.Struct, array_like=True, frozen=True):
    """The reply to one call; without an answer the server runs the call itself."""

    number: int
    answer: Answer | None = None


class HelperChannel(Protocol):
    """Pipes to one helper process. Reading fails with TOOL_TIMEOUT after a short silence, and can then be repeated."""

    def write(self, data: bytes) -> None: ...
    def read_exact(self, size: int) -> bytes: ...
    def close(self) -> None: ...


_ENCODER = msgspec.msgpack.Encoder()
_CALLS = msgspec.msgpack.Decoder(HelperCall)
_REPLIES = msgspec.msgpack.Decoder(HelperReply)


def encode_frame(message: HelperCall | HelperReply) -> bytes:
    """Encode a message with its size before it."""
    payload = _ENCODER.encode(message)
    return len(payload).to_bytes(SIZE_BYTES, "little") + payload


def decode_call(payload: bytes) -> HelperCall:
    return _CALLS.decode(payload)


def decode_reply(payload: bytes) -> HelperReply:
    return _REPLIES.decode(payload)
