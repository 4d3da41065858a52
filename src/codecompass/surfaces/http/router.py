"""Doors: the paths of the server as data, and the table that finds one. More doors are more rows."""

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from codecompass.contract.versions import SCHEMA_VERSION, TOOL_VERSION
from codecompass.surfaces.http.api.answers import Refused, Visit, success

VISIT = "codecompass.visit"
"""Where a scope carries its `Visit`."""

TRUSTED = "codecompass.trusted"
"""Where a scope says whether the request came with the token, so that it may do more than read."""

Answering = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Door:
    """One path: a segment in braces matches any text and stands in `path_params` by its name."""

    path: str
    methods: tuple[str, ...]
    app: ASGIApp
    max_body: int = 0
    """Bytes of the largest request body; 0 for a door that takes none."""

    def match(self, path: str) -> dict[str, str] | None:
        if self.path == path:
            return {}
        wanted, given = self.path.split("/"), path.split("/")
        if "{" not in self.path or len(wanted) != len(given):
            return None
        found: dict[str, str] = {}
        for mine, theirs in zip(wanted, given, strict=True):
            if mine.startswith("{") and theirs:
                found[mine.strip("{}")] = theirs
            elif mine != theirs:
                return None
        return found


class Doors:
    """All doors of a server."""

    def __init__(self, doors: Iterable[Door]) -> None:
        self._doors = tuple(doors)
        self._plain = {door.path: door for door in self._doors}

    def find(self, scope: Scope) -> Door:
        """The door that a request names, or the reason why there is none."""
        path, method = scope["path"], scope["method"]
        candidates = [self._plain[path]] if path in self._plain else self._doors
        for door in candidates:
            found = door.match(path)
            if found is None:
                continue
            if method in door.methods or (method == "HEAD" and "GET" in door.methods):
                scope["path_params"] = found
                return door
            allowed = ", ".join(door.methods)
            raise Refused("INVALID_REQUEST", f"This path takes {allowed}.", 405, {"Allow": allowed})
        raise Refused("NOT_FOUND", "No such path.")


def answering(answer: Answering) -> ASGIApp:
    """A function from request to response as an application."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response = await answer(Request(scope, receive))
        await response(scope, receive, send)

    return app


def health_door() -> Door:
    """`GET /health`: the process answers, and which versions it speaks."""
    began = time.monotonic()

    async def health(request: Request) -> Response:
        visit: Visit = request.scope[VISIT]
        uptime = round((time.monotonic() - began) * 1000)
        versions = {"schemaVersion": SCHEMA_VERSION, "toolVersion": TOOL_VERSION}
        return success(visit, {"uptimeMs": uptime, **versions})

    return Door("/health", ("GET",), answering(health))


def metrics_door(text: Callable[[], str], media_type: str) -> Door:
    """`GET /metrics`: the counters of this process as Prometheus reads them."""

    async def metrics(_request: Request) -> Response:
        return Response(text(), media_type=media_type)

    return Door("/metrics", ("GET",), answering(metrics))
