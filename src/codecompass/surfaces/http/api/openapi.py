"""OpenAPI document of the HTTP API, generated from routes, tools and the error table."""

from collections.abc import Iterable
from typing import Any

from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.contract.versions import SCHEMA_VERSION
from codecompass.errors import CODES
from codecompass.surfaces.http.answers import JSON
from codecompass.surfaces.http.api.request_arguments import ALIAS, EVENTS, REPO
from codecompass.surfaces.http.api.routes import ANY_TOOL, ApiRoute, list_statuses

Schema = dict[str, Any]

STATUS_MEANINGS = {
    400: "Not valid HTTP, not valid JSON, or arguments that are missing, unknown or wrong.",
    401: "No valid token came with the request.",
    403: "The tool does more than read and no token came with the request, the repository lies outside the allowed "
    "roots, or the page of another origin calls.",
    404: "No such path, tool, repository, ref or thing.",
    406: "The Accept header does not allow what would be answered.",
    408: "The body did not arrive in time.",
    409: "There is no index yet, or it is stale, damaged or being written.",
    413: "The body is too long.",
    414: "The address is too long.",
    415: "The body is not JSON.",
    421: "The server is not addressed by that Host name.",
    422: "What was downloaded is not what was promised.",
    429: "Too many calls wait, or this tool's calls per minute are used up.",
    431: "The headers are too many or too long.",
    499: "The call was cancelled.",
    500: "Something failed that should not.",
    501: "A part this needs is not installed.",
    502: "A server that something was to be downloaded from failed.",
    503: "Too many requests or connections at once.",
    504: "The work took longer than allowed and was stopped.",
}
"""The meaning of each HTTP status."""

META_SCHEMA: Schema = {
    "type": "object",
    "required": ["schemaVersion", "toolingVersion", "ts", "requestId", "durationMs"],
    "properties": {
        "schemaVersion": {"type": "string"},
        "toolingVersion": {"type": "string"},
        "ts": {"type": "string", "format": "date-time"},
        "requestId": {"type": "string"},
        "durationMs": {"type": "number", "minimum": 0},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
}


def build_document(routes: Iterable[ApiRoute], tools: tuple[Tool, ...], *, protected: bool) -> Schema:
    """Build the whole document."""
    by_name = {tool.name: tool for tool in tools}
    paths: Schema = {}
    for route in routes:
        if route.tool == ANY_TOOL:
            for tool in tools:
                paths[route.path.replace("{name}", tool.name)] = {route.method.lower(): _build_operation(route, tool)}
        else:
            paths[route.path] = {route.method.lower(): _build_operation(route, by_name.get(route.tool))}
    made: Schema = {
        "openapi": "3.1.0",
        "info": {
            "title": "codecompass",
            "version": SCHEMA_VERSION,
            "description": "Questions about repositories, answered from an index.",
        },
        "paths": paths,
        "components": {"schemas": _build_schemas() | _list_tool_schemas(tools), "responses": _build_error_responses()},
    }
    description = "Needed by every request." if protected else "Needed by operations that do more than read."
    made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer", "description": description}}
    if protected:
        made["security"] = [{"token": []}]
    return made


def _build_operation(route: ApiRoute, tool: Tool | None) -> Schema:
    named = route.tool == ANY_TOOL and tool is not None
    made: Schema = {
        "operationId": f"{route.name}_{tool.name}" if named and tool else route.name,
        "summary": tool.summary if named and tool else route.summary,
        "responses": {"200": _build_success(route)}
        | {str(status): {"$ref": f"#/components/responses/{status}"} for status in list_statuses(route, tool)},
    }
    if tool is not None and not tool.reads_only:
        made["security"] = [{"token": []}]
    if tool is not None and route.method == "POST":
        body = _add_repo(input_schema(tool.params)) if route.field else {"$ref": f"#/components/schemas/{tool.name}"}
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": body}}}
    elif tool is not None:
        known = _add_repo(input_schema(tool.params))["properties"] | {"follow": {"type": "boolean", "default": False}}
        made["parameters"] = [{"name": name, "in": "query", "schema": known[name]} for name in route.query]
    return made


def _list_tool_schemas(tools: tuple[Tool, ...]) -> Schema:
    """Return the argument schema of each tool, as in `tools/list`."""
    return {tool.name: input_schema(tool.params) for tool in tools}


def _add_repo(schema: Schema) -> Schema:
    """Return the argument schema of a tool for the API, where `repo` is an alias of `repoPath`."""
    known = schema["properties"]
    return schema | {"properties": known | {REPO: known[ALIAS]}, "not": {"required": [REPO, ALIAS]}}


def _build_success(route: ApiRoute) -> Schema:
    if route.answer == "events":
        description = (
            "Events `start`, `progress`*, then `result` or `error`, then `done`; the data of each is an envelope."
        )
        # Without a schema: some clients would apply it to the whole stream, others to each event.
        return {"description": description, "content": {EVENTS: {}}}
    if route.answer == "text":
        return {"description": "Prometheus text.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    if route.answer == "document":
        return {"description": "OpenAPI 3.1.", "content": {JSON: {"schema": {"type": "object"}}}}
    schema: Schema = {"$ref": "#/components/schemas/Success"}
    if route.tool:
        result: Schema = {"type": "object"}
        if route.field:
            fields = {"repo": {"type": "string"}, route.field: {"type": "object"}}
            result |= {"required": list(fields), "properties": fields}
        schema = {"allOf": [schema, {"required": ["repo"], "properties": {"result": result}}]}
    return {"description": "The answer.", "content": {JSON: {"schema": schema}}}


def _build_schemas() -> Schema:
    codes = list(dict.fromkeys(row.cleats for row in CODES))
    error: Schema = {
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": {"enum": codes},
            "message": {"type": "string"},
            "hint": {"type": "string"},
            "details": {"type": ["object", "array"], "description": "Facts that help, or the list of violations."},
            "payload": {"type": "object", "description": "The tool's own words for it."},
        },
    }
    good: Schema = {
        "ok": {"const": True}, "repo": {"type": "string"}, "result": {"type": "object"}, "_meta": META_SCHEMA,
    }  # fmt: skip
    bad: Schema = {
        "ok": {"const": False},
        "code": {"enum": codes},
        "message": {"type": "string"},
        "error": error,
        "_meta": META_SCHEMA,
    }
    return {
        "Success": {"type": "object", "required": ["ok", "result", "_meta"], "properties": good},
        "Failure": {"type": "object", "required": list(bad), "properties": bad},
    }


def _build_error_responses() -> Schema:
    content = {JSON: {"schema": {"$ref": "#/components/schemas/Failure"}}}
    made: Schema = {
        str(status): {"description": meaning, "content": content} for status, meaning in STATUS_MEANINGS.items()
    }
    wait = {"description": "Seconds after which to try again.", "required": True, "schema": {"type": "integer"}}
    made["429"]["headers"] = {"Retry-After": wait}
    return made
