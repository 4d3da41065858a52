"""MCP sessions over HTTP: each client of a handshake revision has its own transport, guard and events."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.runner import serve_loop
from mcp.server.streamable_http import StreamableHTTPServerTransport
from starlette.types import Receive, Scope, Send

from codecompass.runtime.log import Log
from codecompass.surfaces.http.mcp.event_log import EventBuffer, SessionEvents
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.surfaces.mcp.mcp_server import ToolServer
from codecompass.surfaces.mcp.message_guard import MessageGuard

SWEEP_S = 5.0
"""Interval at which expired events are dropped."""


@dataclass(slots=True)
class McpSession:
    """One client, from its handshake to its end."""

    id: str
    """Identifies the client like a secret, so it is never shown."""
    name: str
    """Its name in the log and for limits."""
    transport: StreamableHTTPServerTransport
    guard: MessageGuard
    events: SessionEvents
    known_as: str = field(default_factory=lambda: f"ses_{secrets.token_hex(8)}")
    """Its name in the project's memory."""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class McpSessions:
    """All sessions of a server. The end of a session cancels its calls."""

    def __init__(self, server: ToolServer, options: HttpOptions, log: Log) -> None:
        self._server = server
        self._options = options
        self._log = log
        self._event_buffer = EventBuffer(options.replay_bytes, options.replay_s)
        self._sessions: dict[str, McpSession] = {}
        self._tasks: TaskGroup | None = None

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, session_id: str) -> McpSession | None:
        return self._sessions.get(session_id)

    @property
    def full(self) -> bool:
        return len(self._sessions) >= self._options.max_sessions

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Run the sessions; all end with this block."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._drop_expired_events)
            try:
                yield
            finally:
                await self.close()
                tasks.cancel_scope.cancel()

    async def open(self, guard: MessageGuard) -> McpSession:
        """Open a new session that waits for its first message."""
        assert self._tasks is not None, "sessions are opened inside run()"
        events = SessionEvents(self._event_buffer)
        transport = StreamableHTTPServerTransport(
            mcp_session_id=secrets.token_hex(16), event_store=events, idle_timeout=self._options.session_idle_s
        )
        name = f"mcp-{secrets.token_hex(4)}"
        session = McpSession(transport.mcp_session_id or "", name, transport, guard, events)
        self._sessions[session.id] = session
        await self._tasks.start(self._serve, session)
        return session

    async def handle(self, session: McpSession, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request with the session's transport."""
        await session.transport.handle_request(scope, receive, send)
        if session.transport.is_terminated:
            await self.end(session)

    async def end(self, session: McpSession) -> None:
        """End a session: cancel its calls, close its streams and forget its id."""
        if self._sessions.pop(session.id, None) is None:
            return
        session.events.close()
        session.scope.cancel()
        with anyio.CancelScope(shield=True):
            if not session.transport.is_terminated:
                await session.transport.terminate()
            await anyio.to_thread.run_sync(self._server.end_session, session.known_as)

    async def close(self) -> None:
        """End all sessions."""
        for session in list(self._sessions.values()):
            await self.end(session)

    async def _serve(self, session: McpSession, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        try:
            async with session.transport.connect() as (reads, writes):
                task_status.started()
                idle = session.transport.idle_scope or anyio.CancelScope()
                with idle, session.scope:
                    await serve_loop(
                        self._server.sdk,
                        reads,
                        writes,
                        lifespan_state={},
                        session_id=session.id,
                        init_options=self._server.build_init_options(),
                    )
                if idle.cancelled_caught:
                    self._log.event("info", "session_idle", sessions=len(self._sessions) - 1)
        except Exception as error:  # broad: a failing session must not end the others
            self._log.crash("session_crashed", error)
        finally:
            with anyio.CancelScope(shield=True), suppress(anyio.ClosedResourceError):
                await self.end(session)

    async def _drop_expired_events(self) -> None:
        while True:
            await anyio.sleep(SWEEP_S)
            self._event_buffer.drop_expired()
