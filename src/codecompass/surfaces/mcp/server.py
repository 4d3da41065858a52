"""Server: the SDK's low-level server over the dispatch. Two handlers, whatever the number of tools."""

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp_types.version import is_version_at_least

from codecompass.contract.codec import violation
from codecompass.contract.envelope import Reply, capability_block, tool_meta
from codecompass.contract.schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.contract.versions import TOOL_VERSION
from codecompass.model.call import Call
from codecompass.runtime.deadline import Pending
from codecompass.runtime.dispatch import Dispatch

NAME = "codecompass"
INSTRUCTIONS = (
    "Use search_code for questions and locate_symbol for names before reading files. "
    "Check metadata.freshness_status; call sync_repo when it is stale."
)
CAPABILITIES: dict[str, Any] = {
    "docs": {"pdf": False, "docx": False},
    "vector": {"sqliteVec": False},
    "mcp": {"sdk": True, "legacy": False},
}
"""What this build can do, said before a client asks for it in vain."""

Context = ServerRequestContext[Any, Any]


class CancelParams(types.NotificationParams):
    """Parameters of `$/cancelRequest`."""

    id: int | str


def describe_tool(tool: Tool) -> types.Tool:
    """One tool as `tools/list` shows it."""
    reads = types.ToolAnnotations(read_only_hint=True) if tool.effect == "read" else None
    return types.Tool(
        name=tool.name,
        description=tool.summary,
        input_schema=input_schema(tool.params),
        annotations=reads,
        _meta=tool_meta(tool.version),
    )


class ToolServer:
    """The handlers of one connection, and the calls that are under way on it."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._calls: dict[str, Pending] = {}
        self._tools = [describe_tool(tool) for tool in dispatch.tools]
        self.sdk: Server[Any] = Server(
            NAME,
            version=TOOL_VERSION,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self.sdk.add_notification_handler("$/cancelRequest", CancelParams, self._cancel)

    def initialization(self) -> InitializationOptions:
        return self.sdk.create_initialization_options(
            NotificationOptions(tools_changed=False),
            experimental_capabilities={"pairofcleats": capability_block(CAPABILITIES)},
        )

    async def _list_tools(self, _ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            # The whole list fits one page, so no cursor of ours exists.
            wrong = [violation("/cursor", "cursor", "unknown cursor")]
            raise MCPError(types.INVALID_PARAMS, "Unknown cursor", {"code": "INVALID_REQUEST", "details": wrong})
        return types.ListToolsResult(tools=self._tools)

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        key = str(ctx.request_id)
        pending = self._dispatch.submit(params.name, params.arguments or {}, Call(id=key))
        self._calls[key] = pending
        try:
            reply = await asyncio.wrap_future(pending.future)
        except asyncio.CancelledError:
            # `notifications/cancelled`, or the connection ends: nobody waits for the answer, so stop the work.
            pending.cancel()
            raise
        finally:
            self._calls.pop(key, None)
        return _result(reply, ctx.protocol_version)

    async def _cancel(self, _ctx: Context, params: CancelParams) -> None:
        pending = self._calls.get(str(params.id))
        if pending is not None:
            pending.cancel()


def _result(reply: Reply, protocol_version: str) -> types.CallToolResult:
    if reply.rpc_error is not None:
        raise MCPError(reply.rpc_error.code, reply.rpc_error.message, reply.rpc_error.data)
    structured = reply.payload if is_version_at_least(protocol_version, "2025-06-18") else None
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.body.decode())],
        structured_content=structured,
        is_error=reply.is_error,
    )
