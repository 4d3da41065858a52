"""Response envelopes of the HTTP API, and errors in the form of the endpoint: envelope or JSON-RPC."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from codecompass.contract.encoding import encode
from codecompass.contract.versions import SCHEMA_VERSION, TOOL_VERSION
from codecompass.errors import CODES_BY_NAME, ErrorCode, Failure
from codecompass.model.timestamp import utc_timestamp

MCP_PATH = "/mcp"
JSON = "application/json"
INVALID_REQUEST, OVERLOADED, INTERNAL = -32600, -32001, -32603


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request in progress: the data of its `_meta` block."""

    id: str
    began: float
    path: str

    @property
    def meta(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "toolingVersion": TOOL_VERSION,
            "ts": utc_timestamp(timespec="milliseconds", zone="+00:00"),
            "requestId": self.id,
            "durationMs": round((time.monotonic() - self.began) * 1000, 3),
        }


@dataclass(frozen=True, slots=True)
class HttpError(Exception):
    """A request that fails: a code of the error table, a more specific HTTP status if any, and a message."""

    code: ErrorCode
    message: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    details: object = None
    hint: str = ""
    payload: object = None
    """The tool's own payload, if its family renders failures in its own form."""

    @property
    def http_status(self) -> int:
        return self.status or CODES_BY_NAME[self.code].http


def to_http_error(failure: Failure, payload: object = None) -> HttpError:
    """Convert a failure of the engine or a tool to an HTTP error; violations become the list of details."""
    row = failure.error_code
    details = failure.details.get("violations") or failure.details or None
    wait = failure.details.get("retryAfterMs", 1_000)
    headers = {"Retry-After": str(max(1, math.ceil(float(str(wait)) / 1000)))} if row.http == 429 else {}
    return HttpError(row.cleats, failure.message, row.http, headers, details, failure.effective_hint, payload)


def shape_success(
    context: RequestContext, result: Mapping[str, Any], warnings: object = None, **more: object
) -> dict[str, Any]:
    """Build the envelope of a success: `ok: true`, the result, and the fields of `more` beside it."""
    meta = context.meta | ({"warnings": warnings} if warnings else {})
    return {"ok": True, **more, "result": result, "_meta": meta}


def shape_failure(context: RequestContext, error: HttpError) -> dict[str, Any]:
    """Build the envelope of an error: `ok: false`, and the code and message both at the top and in `error`."""
    inner: dict[str, Any] = {"code": error.code, "message": error.message}
    more = {"details": error.details, "hint": error.hint, "payload": error.payload}
    inner |= {key: value for key, value in more.items() if value}
    return {"ok": False, "code": error.code, "message": error.message, "error": inner, "_meta": context.meta}


def respond_success(
    context: RequestContext, result: Mapping[str, Any], warnings: object = None, **more: object
) -> Response:
    """Return a success envelope as a response."""
    return _respond_json(shape_success(context, result, warnings, **more), 200, {})


def respond_error(context: RequestContext, error: HttpError) -> Response:
    """Return an error as a response: a JSON-RPC error at the MCP endpoint, an envelope at every other."""
    if context.path == MCP_PATH:
        number = (
            OVERLOADED if error.http_status in (429, 503) else INTERNAL if error.http_status >= 500 else INVALID_REQUEST
        )
        data = {"code": error.code, "message": error.message} | ({"details": error.details} if error.details else {})
        rpc_error = {"code": number, "message": error.message, "data": data}
        return _respond_json({"jsonrpc": "2.0", "id": None, "error": rpc_error}, error.http_status, error.headers)
    return _respond_json(shape_failure(context, error), error.http_status, error.headers)


def _respond_json(body: Mapping[str, Any], status: int, headers: Mapping[str, str]) -> Response:
    return Response(encode(dict(body)), status, dict(headers), JSON)
