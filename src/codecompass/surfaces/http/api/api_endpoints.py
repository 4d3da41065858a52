"""Endpoints of the HTTP API, built from its routes. All tools are called through one dispatch."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply, capability_block
from codecompass.contract.versions import TOOL_VERSION
from codecompass.errors import Failure
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.http.api.answers import JSON, Refused, Visit, refused, success
from codecompass.surfaces.http.api.event_streams import Feed, Teller
from codecompass.surfaces.http.api.openapi import document
from codecompass.surfaces.http.api.request_arguments import (
    EVENTS,
    body_of,
    check_accept,
    flag_in,
    media_of,
    place_in,
    query_of,
    with_repo,
)
from codecompass.surfaces.http.api.routes import ANY_TOOL, Route, served
from codecompass.surfaces.http.api.status_subscriptions import Followed
from codecompass.surfaces.http.router import VISIT, Answering, Door, answering
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.surfaces.http.tool_calls import Calls, call_of, while_connected
from codecompass.surfaces.mcp.server_info import NAME, capabilities

AT_ONCE = ("QUEUE_OVERLOADED", "RATE_LIMITED")
"""Failures that are known before any work starts: the response is then not a stream."""


def warnings_in(payload: Mapping[str, Any]) -> list[str]:
    """Return the warnings of a payload or of its metadata as strings."""
    found = payload.get("warnings") or payload.get("metadata", {}).get("warnings") or []
    return [str(one["message"] if isinstance(one, dict) else one) for one in found]


class Api:
    """The API endpoints of one server."""

    def __init__(self, dispatch: Dispatch, options: HttpOptions, endpoints: Mapping[str, Door]) -> None:
        """`endpoints` maps the paths of routes that need nothing from this class to their endpoints."""
        self._tools = {tool.name: tool for tool in dispatch.tools}
        self._options = options
        self._given = endpoints
        self._routes = served(dispatch.tools)
        self.calls = Calls(dispatch)
        self._followed = Followed(self.calls, "index_status")

    def doors(self) -> tuple[Door, ...]:
        """Build one endpoint for each route."""
        return tuple(self._given.get(route.path) or self._door(route) for route in self._routes)

    def _door(self, route: Route) -> Door:
        size = self._options.max_body if route.method == "POST" else 0
        return Door(route.path, (route.method,), self._app(route), size)

    def _app(self, route: Route) -> ASGIApp:
        plain: dict[str, Callable[[Route], Answering]] = {
            "capabilities": self._capabilities, "openapi": self._openapi,
        }  # fmt: skip
        if route.name in plain:
            return answering(plain[route.name](route))
        return self._stream(route) if route.answer == "events" else answering(self._call(route))

    # -- endpoints without a tool ----------------------------------------------------------------------------------

    def _capabilities(self, route: Route) -> Answering:
        block = capability_block(capabilities()) | {
            "serverInfo": {"name": NAME, "version": TOOL_VERSION},
            "tools": list(self._tools),
        }

        async def answer(request: Request) -> Response:
            check_accept(request, media_of(route))
            query_of(request, route)
            return success(request.scope[VISIT], block)

        return answer

    def _openapi(self, route: Route) -> Answering:
        body = encode(document(self._routes, tuple(self._tools.values()), protected=bool(self._options.token)))

        async def answer(request: Request) -> Response:
            check_accept(request, media_of(route))
            query_of(request, route)
            return Response(body, media_type=JSON)

        return answer

    # -- tools -----------------------------------------------------------------------------------------------------

    def _call(self, route: Route) -> Answering:
        async def answer(request: Request) -> Response:
            check_accept(request, media_of(route))
            tool, raw, _ = await self._asked(route, request)
            context: Visit = request.scope[VISIT]
            ask = self.calls.ask(tool, raw, call_of(request.scope))
            reply = await while_connected(request.receive, ask)
            if reply.is_error:
                raise self.calls.refusal(tool, reply)
            return success(context, **self._form(route, reply, raw))

        return answer

    async def _asked(self, route: Route, request: Request) -> tuple[str, Any, bool]:
        """Return the tool, its arguments, and whether the client wants to follow."""
        tool = str(request.path_params["name"]) if route.tool == ANY_TOOL else route.tool
        self.calls.check_permission(tool, call_of(request.scope))
        query = query_of(request, route)
        follow = flag_in(query, "follow")
        raw = await body_of(request) if route.method == "POST" else query
        return tool, raw if route.tool == ANY_TOOL else with_repo(raw), follow

    def _form(self, route: Route, reply: Reply, raw: object) -> dict[str, Any]:
        """Build the arguments of a success envelope. The payload is embedded as its encoded bytes."""
        # The call succeeded, so its workspace is an allowed directory.
        repo = os.path.realpath(place_in(raw) or self._options.repo)
        payload = msgspec.Raw(reply.body)
        result = {"repo": repo, route.field: payload} if route.field else payload
        return {"result": result, "repo": repo, "warnings": warnings_in(reply.payload)}

    def _stream(self, route: Route) -> ASGIApp:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope, receive)
            check_accept(request, EVENTS)
            tool, raw, follow = await self._asked(route, request)
            self._check(tool, raw)
            if scope["method"] == "HEAD":
                await Response(media_type=EVENTS)(scope, receive, send)
                return
            writer = Teller(scope[VISIT], send, self._options.heartbeat_s)
            work = self._follow(route, raw, writer) if follow else self._play(route, tool, raw, scope, writer)
            self.calls.streams += 1
            try:
                await while_connected(receive, work)
            finally:
                self.calls.streams -= 1

        return app

    def _check(self, tool: str, raw: object) -> None:
        """Validate the arguments before a stream starts."""
        known = self._tools.get(tool)
        if known is None:
            raise Refused("NOT_FOUND", f"Unknown tool: {tool[:100]}")
        try:
            decode(known.params, raw)
        except Failure as failure:
            raise refused(failure) from None

    async def _play(self, route: Route, tool: str, raw: object, scope: Scope, writer: Teller) -> None:
        """Stream one call, from `start` to `done`."""
        channel = Feed()
        pending = self.calls.submit(tool, raw, call_of(scope), channel.put)
        try:
            if pending.settled and pending.future.done() and pending.future.result().code in AT_ONCE:
                raise self.calls.refusal(tool, pending.future.result())
            await writer.open(self._beginning(route, raw))
            reply = await channel.relay(pending, writer)
        finally:
            self.calls.leave(pending)
        await self._end(route, tool, reply, raw, writer)

    async def _follow(self, route: Route, raw: dict[str, str], writer: Teller) -> None:
        """Stream every change of the status until the client disconnects or the server stops."""
        await writer.open(self._beginning(route, raw))
        async with self._followed.join(raw) as subscription:
            seen = 0
            while not subscription.ended:
                changed = subscription.changed
                if subscription.number == seen:
                    await writer.wait(changed)
                    continue
                seen = subscription.number
                about = subscription.reply.payload.get("metadata", {})
                phase, fresh = about.get("indexing_status", ""), about.get("freshness_status", "")
                form = self._form(route, subscription.reply, raw)
                form["result"] = {"phase": phase, "message": f"{phase}, {fresh}", **form["result"]}
                await writer.tell("progress", **form)
            reply = subscription.reply
        await self._end(route, route.tool, reply, raw, writer)

    def _beginning(self, route: Route, raw: object) -> dict[str, Any]:
        # The workspace is not resolved yet, so it is returned as the client wrote it.
        return {"repo": place_in(raw) or self._options.repo} if route.field == "status" else {}

    async def _end(self, route: Route, tool: str, reply: Reply, raw: object, writer: Teller) -> None:
        if reply.is_error:
            await writer.fail(self.calls.refusal(tool, reply))
        else:
            await writer.tell("result", **self._form(route, reply, raw))
        await writer.close()
