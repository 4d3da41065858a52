"""Routes of the HTTP API. Endpoints, the OpenAPI document and the reference page are built from them."""

from collections.abc import Iterable
from dataclasses import dataclass

from codecompass.contract.tool import Tool
from codecompass.errors import CODES_BY_NAME

ANY_TOOL = "*"
"""Placeholder for the tool that the path names."""


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """One method of one path."""

    method: str
    path: str
    name: str
    summary: str
    tool: str = ""
    """The tool that it calls, if any; its arguments are the body or, for GET, the query string."""
    field: str = ""
    """The field of `result` that has the tool's payload; if empty, the payload is the result."""
    answer: str = "json"
    """`json`, `events` (a stream), `text`, `document` (JSON without an envelope)."""
    query: tuple[str, ...] = ()
    """Names in the query string."""


ROUTES = (
    ApiRoute("GET", "/health", "health", "The process answers, and which versions it speaks."),
    ApiRoute("GET", "/capabilities", "capabilities", "Versions, what this build can do, and the tools that are "
        "served."),
    ApiRoute("GET", "/metrics", "metrics", "Counters of this process as Prometheus text.", answer="text"),
    ApiRoute("GET", "/openapi.json", "openapi", "This API as an OpenAPI 3.1 document.", answer="document"),
    ApiRoute(
        "GET", "/status", "status", "What is indexed, how fresh it is, and which jobs run.",
        "index_status", "status", query=("repo", "repoPath", "ref"),
    ),
    ApiRoute(
        "GET", "/status/stream", "statusStream",
        "The status as a stream of events; with follow=true it stays open and tells every change.",
        "index_status", "status", "events", ("repo", "repoPath", "ref", "follow"),
    ),
    ApiRoute("POST", "/search", "search", "Search code, documentation, comments and records.", "search", "search"),
    ApiRoute("POST", "/search/stream", "searchStream", "The same as a stream of events.", "search", "search", "events"),
    ApiRoute("POST", "/tools/{name}", "tool", "Call a tool with its own arguments.", ANY_TOOL),
    ApiRoute("POST", "/tools/{name}/stream", "toolStream", "The same as a stream of events.", ANY_TOOL, "", "events"),
)  # fmt: skip

COMMON_STATUSES = (400, 401, 403, 406, 414, 421, 431, 500, 503)
"""Error statuses of any request."""
BODY_STATUSES = (408, 413, 415)
"""Further error statuses of a request with a body."""
CALL_ERRORS = ("NOT_FOUND", "NO_INDEX", "QUEUE_OVERLOADED", "CANCELLED", "CAPABILITY_MISSING", "TOOL_TIMEOUT")
"""Errors of any tool call, besides those that the tool declares."""


def select_routes(tools: Iterable[Tool]) -> tuple[ApiRoute, ...]:
    """Return the routes of a server that has these tools."""
    names = {tool.name for tool in tools}
    return tuple(route for route in ROUTES if route.tool in ("", ANY_TOOL) or route.tool in names)


def list_statuses(route: ApiRoute, tool: Tool | None) -> tuple[int, ...]:
    """Return every status with which a request can fail."""
    found = set(COMMON_STATUSES) | (set(BODY_STATUSES) if route.method == "POST" else set())
    if tool is not None:
        found |= {CODES_BY_NAME[code].http for code in (*CALL_ERRORS, *tool.errors)}
    return tuple(sorted(found))
