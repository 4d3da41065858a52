"""JSON-RPC errors: their numbers, and the code of our error table that each carries in `data`."""

from dataclasses import dataclass
from typing import Any

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
CODE_NAMES = {
    PARSE_ERROR: "INVALID_REQUEST",
    INVALID_REQUEST: "INVALID_REQUEST",
    METHOD_NOT_FOUND: "NOT_FOUND",
    INVALID_PARAMS: "INVALID_REQUEST",
    -32001: "QUEUE_OVERLOADED",
    # Errors of the SDK itself: a header that contradicts the body, a missing capability, an unknown revision,
    # a cancelled request, a closed connection.
    -32020: "INVALID_REQUEST",
    -32021: "CAPABILITY_MISSING",
    -32022: "INVALID_REQUEST",
    -32800: "CANCELLED",
    -32000: "CANCELLED",
}
"""The error code of each JSON-RPC number; every other number is INTERNAL."""


def error_data(number: int, message: str, data: object = None) -> dict[str, Any]:
    """Return the `data` of a protocol error with a code of the error table added."""
    if isinstance(data, dict) and isinstance(data.get("code"), str):
        return data
    named: dict[str, Any] = {"code": CODE_NAMES.get(number, "INTERNAL"), "message": message}
    if isinstance(data, dict):
        return named | data
    return named | ({"details": data} if data else {})


def complete_error(message: dict[str, Any]) -> bool:
    """Add the error code to an error answer that has none; return whether the message changed."""
    error = message.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("code"), int):
        return False
    data = error_data(error["code"], str(error.get("message", "")), error.get("data"))
    if error.get("data") == data:
        return False
    message["error"] = error | {"data": data}
    return True


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error answer to a message that the session never sees."""

    id: int | str | None
    code: int
    message: str
    data: dict[str, Any] | None = None

    @property
    def form(self) -> dict[str, Any]:
        """The JSON-RPC error message."""
        data = error_data(self.code, self.message, self.data)
        return {"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.message, "data": data}}
