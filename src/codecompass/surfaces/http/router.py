"""HTTP router: the endpoints of the server by path, and the endpoints `/health` and `/metrics`."""

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from codecompass.contract.versions import SCHEMA_VERSION, TOOL_VERSION
from codecompass.surfaces.http.answers import JSON, HttpError, RequestContext, respond_success

CONTEXT_KEY = "codecompass.visit"
"""Scope key of the request context."""

TRUSTED_KEY = "codecompass.trusted"
"""Scope key that tells whether the request has the token, so that it may do more than read."""

RequestHandler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path and its application; a segment in braces matches any text, which is put into `path_params`.

    A last segment `{name*}` matches the rest of the path, which may be empty.
    """

    path: str
    methods: tuple[str, ...]
    app: ASGIApp
    max_body: int = 0
    """Maximum request body in bytes; 0 if it accepts none."""
    media: str = JSON
    """The media type of its bodies."""
    own_access: bool = False
    """Whether it checks the server's token itself, as pages do where a browser can sign in."""

    def match(self, path: str) -> dict[str, str] | None:
        if self.path == path:
            return {}
        wanted, given = self.path.split("/"), path.split("/")
        if wanted[-1].endswith("*}") and len(given) >= len(wanted):
            given[len(wanted) - 1 :] = ["/".join(given[len(wanted) - 1 :])]
        if "{" not in self.path or len(wanted) != len(given):
            return None
        found: dict[str, str] = {}
        for mine, theirs in zip(wanted, given, strict=True):
            if mine.startswith("{") and (theirs or mine.endswith("*}")):
                found[mine.strip("{*}")] = theirs
            elif mine != theirs:
                return None
        return found


class Router:
    """All endpoints of a server."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._endpoints = tuple(endpoints)
        self._plain: dict[str, list[Endpoint]] = {}
        for endpoint in self._endpoints:
            self._plain.setdefault(endpoint.path, []).append(endpoint)

    def has_own_access(self, path: str) -> bool:
        """Whether the endpoints of a path check the server's token themselves."""
        return any(endpoint.own_access and endpoint.match(path) is not None
                   for endpoint in self._plain.get(path, self._endpoints))  # fmt: skip

    def find(self, scope: Scope) -> Endpoint:
        """Return the endpoint of a request; raise an error when there is none."""
        path, method = scope["path"], scope["method"]
        allowed: list[str] = []
        for endpoint in self._plain.get(path, self._endpoints):
            found = endpoint.match(path)
            if found is None:
                continue
            if method in endpoint.methods or (method == "HEAD" and "GET" in endpoint.methods):
                scope["path_params"] = found
                return endpoint
            allowed += endpoint.methods
        if allowed:
            methods = ", ".join(allowed)
            raise HttpError("INVALID_REQUEST", f"This path takes {methods}.", 405, {"Allow": methods})
        raise HttpError("NOT_FOUND", "No such path.")


def to_asgi_app(answer: RequestHandler) -> ASGIApp:
    """Turn a function from request to response into an ASGI application."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response = await answer(Request(scope, receive))
        await response(scope, receive, send)

    return app


def build_health_endpoint() -> Endpoint:
    """Build `GET /health`: uptime and versions."""
    began = time.monotonic()

    async def health(request: Request) -> Response:
        context: RequestContext = request.scope[CONTEXT_KEY]
        uptime = round((time.monotonic() - began) * 1000)
        versions = {"schemaVersion": SCHEMA_VERSION, "toolVersion": TOOL_VERSION}
        return respond_success(context, {"uptimeMs": uptime, **versions})

    return Endpoint("/health", ("GET",), to_asgi_app(health))


def build_metrics_endpoint(text: Callable[[], str], media_type: str) -> Endpoint:
    """Build `GET /metrics`: the counters of this process in Prometheus format."""

    async def metrics(_request: Request) -> Response:
        return Response(text(), media_type=media_type)

    return Endpoint("/metrics", ("GET",), to_asgi_app(metrics))
