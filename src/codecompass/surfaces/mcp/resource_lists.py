"""MCP resource lists, contents and read errors as plain values, for every transport."""

from typing import Any

from codecompass.contract.envelope import Reply
from codecompass.contract.resources import MARKDOWN, RESOURCES, Resource
from codecompass.errors import ErrorCode

INVALID_PARAMS, NOT_FOUND = -32602, -32002
"""Handshake revisions have a separate code for an unknown resource; later ones do not."""
NOT_FOUND_CODES: tuple[ErrorCode, ...] = ("NOT_FOUND", "RESULT_NOT_FOUND")


def list_resources() -> list[dict[str, Any]]:
    """Return the entries of `resources/list`: every resource with a fixed URI."""
    return [{"uri": row.uri, **_shape_resource(row)} for row in RESOURCES if not row.is_template]


def list_templates() -> list[dict[str, Any]]:
    """Return the entries of `resources/templates/list`."""
    return [{"uriTemplate": row.uri, **_shape_resource(row)} for row in RESOURCES if row.is_template]


def shape_contents(reply: Reply) -> list[dict[str, Any]]:
    """Return the contents of a resource."""
    return [dict(reply.payload)]


def shape_read_error(reply: Reply, uri: str, *, modern: bool) -> tuple[int, str, dict[str, Any]] | None:
    """Return code, message and data if a resource could not be read, else None."""
    failure = reply.failure
    if reply.rpc_error is not None:
        return reply.rpc_error.code, reply.rpc_error.message, dict(reply.rpc_error.data or {})
    if failure is None:
        return None
    data: dict[str, Any] = {"uri": uri[:200], "code": failure.error_code.cleats, "reason": failure.message}
    if failure.effective_hint:
        data["suggestion"] = failure.effective_hint
    if failure.code in NOT_FOUND_CODES:
        return INVALID_PARAMS if modern else NOT_FOUND, "Resource not found", data
    return failure.error_code.rpc, failure.message, data


def _shape_resource(row: Resource) -> dict[str, Any]:
    return {"name": row.name, "title": row.title, "description": row.description, "mimeType": MARKDOWN}
