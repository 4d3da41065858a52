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
from codecompass.contract.envelope import Reply, build_capability_block
from codecompass.contract.versions import TOOL_VERSION
from codecompass.errors import Failure
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.http.answers import JSON, HttpError, RequestContext, respond_success, to_http_error
from codecompass.surfaces.http.api.event_streams import ProgressChannel, SseWriter
from codecompass.surfaces.http.api.openapi import build_document
from codecompass.surfaces.http.api.request_arguments import (
    EVENTS,
    check_accept,
    find_workspace,
    get_media_type,
    pop_flag,
    read_body,
    read_query,
    rename_repo,
)
from codecompass.surfaces.http.api.routes import ANY_TOOL, ApiRoute, select_routes
from codecompass.surfaces.http.api.status_subscriptions import StatusSubscriptions
from codecompass.surfaces.http.router import CONTEXT_KEY, Endpoint, RequestHandler, to_asgi_app
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.surfaces.http.tool_calls import ToolCalls, build_call, run_while_connected
from codecompass.surfaces.mcp.server_info import NAME, list_capabilities

IMMEDIATE_FAILURES = ("QUEUE_OVERLOADED", "RATE_LIMITED")
"""Failures that are known before any work starts: the response is then not a stream."""


def read_warnings(payload: Mapping[str, Any]) -> list[str]:
    """Return the warnings of a payload or of its metadata as strings."""
    found = payload.get("warnings") or payload.get("metadata", {}).get("warnings") or []
    return [str(one["message"] if isinstance(one, dict) else one) for one in found]


class HttpApi:
    """The API endpoints of one server."""

    def __init__(self, dispatch: Dispatch, options: HttpOptions, endpoints: Mapping[str, Endpoint]) -> None:
        """`endpoints` maps the paths of routes that need nothing from this class to their endpoints."""
        self._tools = {tool.name: tool for tool in dispatch.tools}
        self._options = options
        self._fixed_endpoints = endpoints
        self._routes = select_routes(dispatch.tools)
        self.calls = ToolCalls(dispatch)
        self._subscriptions = StatusSubscriptions(self.calls, "index_status")

    def build_endpoints(self) -> tuple[Endpoint, ...]:
        """Build one endpoint for each route."""
        return tuple(self._fixed_endpoints.get(route.path) or self._build_endpoint(route) for route in self._routes)

    def _build_endpoint(self, route: ApiRoute) -> Endpoint:
        size = self._options.max_body if route.method == "POST" else 0
        return Endpoint(route.path, (route.method,), self._build_app(route), size)

    def _build_app(self, route: ApiRoute) -> ASGIApp:
        plain: dict[str, Callable[[ApiRoute], RequestHandler]] = {
            "capabilities": self._capabilities, "openapi": self._openapi,
        }  # fmt: skip
        if route.name in plain:
            return to_asgi_app(plain[route.name](route))
        return self._stream(route) if route.answer == "events" else to_asgi_app(self._call(route))

    # -- endpoints without a tool ----------------------------------------------------------------------------------

    def _capabilities(self, route: ApiRoute) -> RequestHandler:
        block = build_capability_block(list_capabilities()) | {
            "serverInfo": {"name": NAME, "version": TOOL_VERSION},
            "tools": list(self._tools),
        }

        async def answer(request: Request) -> Response:
            check_accept(request, get_media_type(route))
            read_query(request, route)
            return respond_success(request.scope[CONTEXT_KEY], block)

        return answer

    def _openapi(self, route: ApiRoute) -> RequestHandler:
        body = encode(build_document(self._routes, tuple(self._tools.values()), protected=bool(self._options.token)))

        async def answer(request: Request) -> Response:
            check_accept(request, get_media_type(route))
            read_query(request, route)
            return Response(body, media_type=JSON)

        return answer

    # -- tools -----------------------------------------------------------------------------------------------------

    def _call(self, route: ApiRoute) -> RequestHandler:
        async def answer(request: Request) -> Response:
            check_accept(request, get_media_type(route))
            tool, raw, _ = await self._read_call(route, request)
            context: RequestContext = request.scope[CONTEXT_KEY]
            ask = self.calls.call(tool, raw, build_call(request.scope))
            reply = await run_while_connected(request.receive, ask)
            if reply.is_error:
                raise self.calls.to_http_error(tool, reply)
            return respond_success(context, **self._build_envelope(route, reply, raw))

        return answer

    async def _read_call(self, route: ApiRoute, request: Request) -> tuple[str, Any, bool]:
        """Return the tool, its arguments, and whether the client wants to follow."""
        tool = str(request.path_params["name"]) if route.tool == ANY_TOOL else route.tool
        self.calls.check_permission(tool, build_call(request.scope))
        query = read_query(request, route)
        follow = pop_flag(query, "follow")
        raw = await read_body(request) if route.method == "POST" else query
        return tool, raw if route.tool == ANY_TOOL else rename_repo(raw), follow

    def _build_envelope(self, route: ApiRoute, reply: Reply, raw: object) -> dict[str, Any]:
        """Build the arguments of a success envelope. The payload is embedded as its encoded bytes."""
        # The call succeeded, so its workspace is an allowed directory.
        repo = os.path.realpath(find_workspace(raw) or self._options.repo)
        payload = msgspec.Raw(reply.body)
        result = {"repo": repo, route.field: payload} if route.field else payload
        return {"result": result, "repo": repo, "warnings": read_warnings(reply.payload)}

    def _stream(self, route: ApiRoute) -> ASGIApp:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope, receive)
            check_accept(request, EVENTS)
            tool, raw, follow = await self._read_call(route, request)
            self._check_arguments(tool, raw)
            if scope["method"] == "HEAD":
                await Response(media_type=EVENTS)(scope, receive, send)
                return
            writer = SseWriter(scope[CONTEXT_KEY], send, self._options.heartbeat_s)
            work = (
                self._stream_status(route, raw, writer)
                if follow
                else self._stream_call(route, tool, raw, scope, writer)
            )
            self.calls.streams += 1
            try:
                await run_while_connected(receive, work)
            finally:
                self.calls.streams -= 1

        return app

    def _check_arguments(self, tool: str, raw: object) -> None:
        """Validate the arguments before a stream starts."""
        known = self._tools.get(tool)
        if known is None:
            raise HttpError("NOT_FOUND", f"Unknown tool: {tool[:100]}")
        try:
            decode(known.params, raw)
        except Failure as failure:
            raise to_http_error(failure) from None

    async def _stream_call(self, route: ApiRoute, tool: str, raw: object, scope: Scope, writer: SseWriter) -> None:
        """Stream one call, from `start` to `done`."""
        channel = ProgressChannel()
        pending = self.calls.submit(tool, raw, build_call(scope), channel.put)
        try:
            if pending.is_settled and pending.future.done() and pending.future.result().code in IMMEDIATE_FAILURES:
                raise self.calls.to_http_error(tool, pending.future.result())
            await writer.start(self._build_start(route, raw))
            reply = await channel.relay(pending, writer)
        finally:
            self.calls.release(pending)
        await self._send_end(route, tool, reply, raw, writer)

    async def _stream_status(self, route: ApiRoute, raw: dict[str, str], writer: SseWriter) -> None:
        """Stream every change of the status until the client disconnects or the server stops."""
        await writer.start(self._build_start(route, raw))
        async with self._subscriptions.subscribe(raw) as subscription:
            seen = 0
            while not subscription.ended:
                changed = subscription.changed
                if subscription.number == seen:
                    await writer.wait(changed)
                    continue
                seen = subscription.number
                about = subscription.reply.payload.get("metadata", {})
                phase, fresh = about.get("indexing_status", ""), about.get("freshness_status", "")
                form = self._build_envelope(route, subscription.reply, raw)
                form["result"] = {"phase": phase, "message": f"{phase}, {fresh}", **form["result"]}
                await writer.send_event("progress", **form)
            reply = subscription.reply
        await self._send_end(route, route.tool, reply, raw, writer)

    def _build_start(self, route: ApiRoute, raw: object) -> dict[str, Any]:
        # The workspace is not resolved yet, so it is returned as the client wrote it.
        return {"repo": find_workspace(raw) or self._options.repo} if route.field == "status" else {}

    async def _send_end(self, route: ApiRoute, tool: str, reply: Reply, raw: object, writer: SseWriter) -> None:
        if reply.is_error:
            await writer.send_error(self.calls.to_http_error(tool, reply))
        else:
            await writer.send_event("result", **self._build_envelope(route, reply, raw))
        await writer.close()
