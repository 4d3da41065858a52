"""Answers: envelopes of the HTTP API, and refusals in the words of whoever is refused."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from codecompass.contract.encoding import encode
from codecompass.contract.versions import SCHEMA_VERSION, TOOL_VERSION
from codecompass.errors import BY_NAME, Failure

MCP_PATH = "/mcp"
JSON = "application/json"
INVALID_REQUEST, OVERLOADED, INTERNAL = -32600, -32001, -32603


@dataclass(frozen=True, slots=True)
class Visit:
    """One request on its way: what its answer says about itself."""

    id: str
    began: float
    path: str

    @property
    def meta(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "toolingVersion": TOOL_VERSION,
            "ts": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "requestId": self.id,
            "durationMs": round((time.monotonic() - self.began) * 1000, 3),
        }


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """A request that ends here: a row of the error table, a status where HTTP has a better one, a sentence."""

    code: str
    message: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    details: object = None
    hint: str = ""
    payload: object = None
    """What the tool itself answered, where its family words failures in its own way."""

    @property
    def http(self) -> int:
        return self.status or BY_NAME[self.code].http


def refused(failure: Failure, payload: object = None) -> Refused:
    """A failure of the engine or a tool as a refusal: violations as a list, everything else as it is."""
    row = failure.row
    details = failure.details.get("violations") or failure.details or None
    wait = failure.details.get("retryAfterMs", 1_000)
    headers = {"Retry-After": str(max(1, math.ceil(float(str(wait)) / 1000)))} if row.http == 429 else {}
    return Refused(row.cleats, failure.message, row.http, headers, details, failure.advice, payload)


def success_form(visit: Visit, result: Mapping[str, Any], warnings: object = None, **more: object) -> dict[str, Any]:
    """`ok: true`, with the result as the API has it; `more` stands beside it."""
    meta = visit.meta | ({"warnings": warnings} if warnings else {})
    return {"ok": True, **more, "result": result, "_meta": meta}


def failure_form(visit: Visit, said: Refused) -> dict[str, Any]:
    """`ok: false`, with the error both beside it and below `error`, as the two halves of the document have it."""
    inner: dict[str, Any] = {"code": said.code, "message": said.message}
    more = {"details": said.details, "hint": said.hint, "payload": said.payload}
    inner |= {key: value for key, value in more.items() if value}
    return {"ok": False, "code": said.code, "message": said.message, "error": inner, "_meta": visit.meta}


def success(visit: Visit, result: Mapping[str, Any], warnings: object = None, **more: object) -> Response:
    """The form above as a response."""
    return _json(success_form(visit, result, warnings, **more), 200, {})


def refusal(visit: Visit, said: Refused) -> Response:
    """What a refused request gets: an error of JSON-RPC at the MCP door, an envelope at every other."""
    if visit.path == MCP_PATH:
        number = OVERLOADED if said.http in (429, 503) else INTERNAL if said.http >= 500 else INVALID_REQUEST
        data = {"code": said.code, "message": said.message} | ({"details": said.details} if said.details else {})
        error = {"code": number, "message": said.message, "data": data}
        return _json({"jsonrpc": "2.0", "id": None, "error": error}, said.http, said.headers)
    return _json(failure_form(visit, said), said.http, said.headers)


def _json(body: Mapping[str, Any], status: int, headers: Mapping[str, str]) -> Response:
    return Response(encode(dict(body)), status, dict(headers), JSON)
