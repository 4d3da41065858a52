"""Bare server: the SDK as its manual shows it, with one tool that answers a constant. What a call costs without us.

Usage: python -m bench.bare_server stdio | http        (http prints {"url": …})
"""

import json
import socket
import sys
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

ANSWER = {
    "project": "sample", "ref": "main", "state": "ready", "files": 1, "symbols": 3, "generation": 1,
    "metadata": {"freshness_status": "fresh", "indexing_status": "ready", "result_completeness": "complete"},
}  # fmt: skip
Context = ServerRequestContext[Any, Any]


async def _list(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    tool = types.Tool(name="index_status", description="Sample.", input_schema={"type": "object"})
    return types.ListToolsResult(tools=[tool])


async def _call(_ctx: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(ANSWER))
    return types.CallToolResult(content=[text], structured_content=ANSWER)


def main() -> None:
    server: Server[Any] = Server("bare", version="1", on_list_tools=_list, on_call_tool=_call)
    if sys.argv[1] == "stdio":
        anyio.run(_serve_stdio, server)
        return
    listener = socket.create_server(("127.0.0.1", 0))
    print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"}), flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="error", access_log=False, timeout_keep_alive=75)
    uvicorn.Server(config).run(sockets=[listener])


async def _serve_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


if __name__ == "__main__":
    main()
