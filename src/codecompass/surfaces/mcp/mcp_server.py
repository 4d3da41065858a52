"""MCP server: handlers of the SDK's low-level server on top of the dispatch.

One server may serve one connection (stdio) or many (HTTP). Clients choose their request ids, which repeat, so every
call is stored under its caller; a client cannot cancel or see the calls of another.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS, is_version_at_least
from pydantic import ValidationError

from codecompass.contract.codec import make_violation
from codecompass.contract.envelope import Reply, build_capability_block
from codecompass.contract.prompts import COMPLETION_TOOL
from codecompass.contract.resources import RESOURCE_TOOL
from codecompass.contract.tool import Tool
from codecompass.contract.versions import TOOL_VERSION
from codecompass.model.call import Call
from codecompass.runtime.deadline import PendingCall
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.mcp.progress_notifications import Context, ProgressRelay
from codecompass.surfaces.mcp.prompt_lists import (
    InvalidPromptError,
    find_value_kind,
    get_prompt,
    list_prompts,
    shape_completion,
)
from codecompass.surfaces.mcp.resource_lists import list_resources, list_templates, shape_contents, shape_read_error
from codecompass.surfaces.mcp.server_info import ICON, NAME, build_instructions, list_capabilities, shape_definition

CALLER_KEY = "codecompass.caller"
"""Key of the caller in the ASGI scope of an HTTP request."""


@dataclass(slots=True)
class RequestCaller:
    """The sender of a request: a session, or a single exchange without one."""

    client: str
    """The client's name for limits and the log."""
    session: str | None = None
    """The session, in which calls can be cancelled by their ids."""
    known_as: str = ""
    """The session's public name in the project's memory; empty for the session of this process."""
    trusted: bool = False
    """Whether it may do more than read."""
    begun: bool = False
    """Whether the request reached the server."""
    failed: bool = False
    """Whether it ended in a protocol error."""
    done: Callable[[], object] = lambda: None
    """Called when the request has its answer or will have none."""


STDIO_CALLER = RequestCaller("stdio", "stdio", trusted=True)


class CancelParams(types.NotificationParams):
    """Parameters of `$/cancelRequest`."""

    id: int | str


def describe_tool(tool: Tool) -> types.Tool:
    """Describe a tool for `tools/list`."""
    return types.Tool.model_validate(shape_definition(tool))


class _SdkServer(Server[Any]):
    """The SDK's server with our capabilities, in the handshake and in discovery."""

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        ours = {"pairofcleats": build_capability_block(list_capabilities())} | (experimental_capabilities or {})
        return super().get_capabilities(
            notification_options or NotificationOptions(tools_changed=False),
            ours,
            extensions,
            protocol_version=protocol_version,
        )

    @property
    def server_info_stamp(self) -> dict[str, Any]:
        """The name and version that the stateless protocol puts into every result: without the icon, for its size."""
        return {key: value for key, value in super().server_info_stamp.items() if key != "icons"}

    async def _handle_discover(self, ctx: Context, params: types.RequestParams | None) -> types.DiscoverResult:
        found = await super()._handle_discover(ctx, params)
        return found.model_copy(update={"meta": {types.SERVER_INFO_META_KEY: super().server_info_stamp}})


class ToolServer:
    """The handlers of all connections, and their calls in progress."""

    def __init__(self, dispatch: Dispatch, extend: Callable[[Server[Any]], None] | None = None) -> None:
        self._dispatch = dispatch
        self.refusal = dispatch.find_refusal
        self.permission = dispatch.check_permission
        self.end_session = dispatch.end_session
        self._calls: dict[tuple[str, str], PendingCall] = {}
        self._in_flight: set[PendingCall] = set()
        self._stopping = False
        self._served = frozenset(tool.name for tool in dispatch.tools)
        self._tools = [describe_tool(tool) for tool in dispatch.tools]
        self.sdk: Server[Any] = _SdkServer(
            NAME,
            version=TOOL_VERSION,
            instructions=build_instructions(dispatch.tools),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            icons=[types.Icon.model_validate(ICON)],
        )
        self.sdk.add_notification_handler("$/cancelRequest", CancelParams, self._cancel)
        self.sdk.middleware.append(_complete_response)
        if extend is not None:
            extend(self.sdk)

    def build_init_options(self) -> InitializationOptions:
        return self.sdk.create_initialization_options()

    @property
    def busy(self) -> int:
        """Number of calls without an answer."""
        return len(self._in_flight)

    def stop(self) -> None:
        """Answer every call in progress, and every later one, with CANCELLED."""
        self._stopping = True
        for pending in list(self._in_flight):
            pending.cancel()

    async def _list_tools(self, _ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        _reject_cursor(params)
        return types.ListToolsResult(tools=self._tools)

    async def _list_resources(
        self, _ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        _reject_cursor(params)
        return types.ListResourcesResult(resources=[types.Resource(**row) for row in list_resources()])

    async def _list_templates(
        self, _ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        _reject_cursor(params)
        rows = [types.ResourceTemplate(**row) for row in list_templates()]
        return types.ListResourceTemplatesResult(resource_templates=rows)

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        pending = self._dispatch.submit_inner(RESOURCE_TOOL, {"uri": params.uri}, _build_call(ctx))
        reply = await self._await_reply(ctx, pending)
        wrong = shape_read_error(reply, params.uri, modern=ctx.protocol_version in MODERN_PROTOCOL_VERSIONS)
        if wrong is not None:
            raise MCPError(*wrong)
        return types.ReadResourceResult(contents=[types.TextResourceContents(**row) for row in shape_contents(reply)])

    async def _list_prompts(
        self, _ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        _reject_cursor(params)
        return types.ListPromptsResult(prompts=[types.Prompt(**row) for row in list_prompts(self._served)])

    async def _get_prompt(self, _ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        try:
            return types.GetPromptResult(**get_prompt(self._served, params.name, params.arguments or {}))
        except InvalidPromptError as wrong:
            raise MCPError(*wrong.fault) from None

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        try:
            kind = find_value_kind(self._served, params.ref.model_dump(), params.argument.name)
        except InvalidPromptError as wrong:
            raise MCPError(*wrong.fault) from None
        reply = None
        if kind is not None:
            asked = {"kind": kind, "values": [params.argument.value]}
            reply = await self._await_reply(ctx, self._dispatch.submit_inner(COMPLETION_TOOL, asked, _build_call(ctx)))
        return types.CompleteResult.model_validate(shape_completion(reply))

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        relay = ProgressRelay.from_context(ctx)
        listen = relay.put if relay else None
        pending = self._dispatch.submit(params.name, params.arguments or {}, _build_call(ctx), listen)
        return _to_result(await self._await_reply(ctx, pending, relay), ctx.protocol_version)

    async def _await_reply(self, ctx: Context, pending: PendingCall, relay: ProgressRelay | None = None) -> Reply:
        """Wait for the reply; meanwhile the call can be cancelled by its id."""
        caller = get_caller(ctx)
        key = (caller.session, str(ctx.request_id)) if caller.session else None
        self._in_flight.add(pending)
        if key is not None:
            self._calls[key] = pending
        if self._stopping:
            pending.cancel()
        try:
            if relay is not None:
                await relay.run(pending)
            return await asyncio.wrap_future(pending.future)
        except asyncio.CancelledError:
            # `notifications/cancelled`, or the connection ended: the answer is not needed, so stop the work.
            pending.cancel()
            raise
        finally:
            self._in_flight.discard(pending)
            if key is not None and self._calls.get(key) is pending:
                del self._calls[key]

    async def _cancel(self, ctx: Context, params: CancelParams) -> None:
        session = get_caller(ctx).session
        pending = self._calls.get((session, str(params.id))) if session else None
        if pending is not None:
            pending.cancel()


def _reject_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Refuse any cursor: every list fits one page."""
    if params is not None and params.cursor is not None:
        wrong = [make_violation("/cursor", "cursor", "unknown cursor")]
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor", {"code": "INVALID_REQUEST", "details": wrong})


def _build_call(ctx: Context) -> Call:
    caller = get_caller(ctx)
    return Call(id=str(ctx.request_id), client=caller.client, session=caller.known_as, trusted=caller.trusted)


def get_caller(ctx: Context) -> RequestCaller:
    """Return the sender of a request: from the HTTP scope, or the only client on stdio."""
    if ctx.request is None:
        return STDIO_CALLER
    caller: RequestCaller = ctx.request.scope[CALLER_KEY]
    return caller


async def _complete_response(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Middleware of every request: restore fields that the SDK strips, and hide the text of unexpected errors."""
    caller = get_caller(ctx)
    caller.begun = True
    try:
        result = await call_next(ctx)
    except (MCPError, ValidationError):
        caller.failed = True
        raise
    except Exception:  # broad: the SDK would send the exception's text
        caller.failed = True
        raise MCPError(types.INTERNAL_ERROR, "Internal error", {"code": "INTERNAL"}) from None
    finally:
        caller.done()
    if ctx.method == "tools/list" and isinstance(result, dict):
        _restore_tool_versions(result, ctx.protocol_version)
    return result


def _restore_tool_versions(result: dict[str, Any], protocol_version: str) -> None:
    """Put the version fields beside `name`, where document 001 has them; every handshake revision allows that.

    The SDK strips fields it does not know, so this comes after it.
    """
    if protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        for tool in result.get("tools", ()):
            tool.update({key: tool["_meta"][key] for key in ("schemaVersion", "toolingVersion")})


def _to_result(reply: Reply, protocol_version: str) -> types.CallToolResult:
    if reply.rpc_error is not None:
        raise MCPError(reply.rpc_error.code, reply.rpc_error.message, reply.rpc_error.data)
    structured = reply.payload if is_version_at_least(protocol_version, "2025-06-18") else None
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.body.decode())],
        structured_content=structured,
        is_error=reply.is_error,
    )
