"""HTTP server: builds connections, middleware and endpoints, and runs until a signal."""

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import anyio
import uvicorn

from codecompass.contract.encoding import encode
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.runtime.prometheus import CONTENT_TYPE
from codecompass.surfaces.http.answers import MCP_PATH
from codecompass.surfaces.http.api.api_endpoints import HttpApi
from codecompass.surfaces.http.client_connection import HttpConnection, ThrottledLog, compute_max_connections
from codecompass.surfaces.http.listen_address import BACKLOG, ListenAddress
from codecompass.surfaces.http.mcp.mcp_endpoint import METHODS, McpEndpoint
from codecompass.surfaces.http.middleware import HttpMiddleware
from codecompass.surfaces.http.router import Endpoint, Router, build_health_endpoint, build_metrics_endpoint
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.surfaces.mcp.mcp_server import ToolServer
from codecompass.surfaces.web.web_site import WebSite

FINISH_S = 0.5
"""After a signal, the answers of calls in progress have this long to be sent."""
SWEEP_S = 0.5
MAX_INCOMPLETE = 65_536
"""Most bytes of an unfinished request line and headers."""


def serve(dispatch: Dispatch, options: HttpOptions, address: ListenAddress, log: Log, *, as_json: bool) -> int:
    """Serve until a signal arrives; return the exit code."""
    anyio.run(_HttpService(dispatch, options, address, log, as_json).run, backend="asyncio")
    return 0


class _Uvicorn(uvicorn.Server):
    """Leaves signals to `_Service`, so that a stop by signal is a normal exit."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _HttpService:
    """One running server process."""

    def __init__(
        self, dispatch: Dispatch, options: HttpOptions, address: ListenAddress, log: Log, as_json: bool
    ) -> None:
        self._tools = ToolServer(dispatch, options.extend)
        self._mcp = McpEndpoint(self._tools, options, log)
        self._address = address
        self._token_file = options.token_file
        self._as_json = as_json
        self._throttle = ThrottledLog(log)
        plain = (build_health_endpoint(), build_metrics_endpoint(dispatch.format_prometheus, CONTENT_TYPE))
        self._api = HttpApi(dispatch, options, {endpoint.path: endpoint for endpoint in plain})
        site = WebSite(self._api.calls, dispatch.tools, options)
        mcp = Endpoint(MCP_PATH, METHODS, self._mcp, options.max_mcp_body)
        router = Router((mcp, *self._api.build_endpoints(), *site.build_endpoints()))
        protocol = partial(HttpConnection, options, compute_max_connections(options.max_connections), self._throttle)
        self._server = _Uvicorn(
            uvicorn.Config(
                HttpMiddleware(router, options, address.port, log),
                http=cast(Any, protocol),
                ws="none",
                loop="asyncio",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                # Our own sweep enforces timeouts; this one would restart with every byte of a slow request.
                timeout_keep_alive=int(options.keep_alive_s) + 1,
                timeout_graceful_shutdown=1,
                h11_max_incomplete_event_size=MAX_INCOMPLETE,
            )
        )

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        loop.set_exception_handler(self._log_loop_error)
        async with self._mcp.run(), anyio.create_task_group() as tasks:
            tasks.start_soon(self._shut_down, stop)
            tasks.start_soon(self._close_stalled)
            self._announce()
            await self._server.serve(sockets=list(self._address.sockets))
            tasks.cancel_scope.cancel()

    async def _shut_down(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._tools.stop()
        self._api.calls.stop()
        with anyio.move_on_after(FINISH_S):
            while self._tools.busy or self._api.calls.busy:
                await asyncio.sleep(0.01)
            # A finished answer still passes through a few tasks before it reaches the socket.
            await asyncio.sleep(0.05)
        await self._mcp.sessions.close()
        self._server.should_exit = True

    async def _close_stalled(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            now = asyncio.get_running_loop().time()
            for connection in list(self._server.server_state.connections):
                cast(HttpConnection, connection).close_if_stalled(now)

    def _announce(self) -> None:
        sys.stderr.write(f"codecompass serves at {self._address.url} (MCP at {self._address.url}{MCP_PATH})\n")
        if self._token_file:
            sys.stderr.write("Reading is open to this machine; tools that do more need the token that "
                             "'codecompass http-token' prints.\n")  # fmt: skip
        sys.stderr.flush()
        if self._as_json:
            where = {"tokenFile": self._token_file} if self._token_file else {}
            sys.stdout.write(encode({"url": self._address.url, **where}).decode() + "\n")
            sys.stdout.flush()

    def _log_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._throttle.warn("loop", loop.time(), text=str(context.get("message"))[:200], error=type(error).__name__)
