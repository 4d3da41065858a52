"""Progress notifications over the SDK: events of a call in order, all before the call's answer."""

import asyncio
import contextlib
from typing import Any, Self

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from codecompass.runtime.deadline import PendingCall
from codecompass.runtime.progress import ProgressEvent

Context = ServerRequestContext[Any, Any]


class ProgressParams(types.ProgressNotificationParams):
    """The protocol's fields and our own, which every handshake revision permits. Numbers are integers."""

    progress: int
    total: int | None = None
    tool: str | None = None
    stream: str | None = None
    phase: str | None = None
    ts: str | None = None


class ProgressEventNotification(types.ProgressNotification):
    """Serialized with its own params type: the parent's would drop our fields."""

    params: ProgressParams


class ProgressRelay:
    """Accepts events from any thread and sends the newest from the event loop.

    A client that does not read blocks sending; a newer event replaces the one that waits.
    """

    def __init__(self, ctx: Context, token: str | int) -> None:
        self._ctx = ctx
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._latest: ProgressEvent | None = None
        self._answered = False
        self._wake = asyncio.Event()

    @classmethod
    def from_context(cls, ctx: Context) -> Self | None:
        """Return a relay if the client asked for progress with a token, else None."""
        token = ctx.meta.get("progress_token") if ctx.meta else None
        return cls(ctx, token) if token is not None else None

    def put(self, event: ProgressEvent | None) -> None:
        """Add an event, or None when the call has its answer. Callable from any thread."""
        # A closed loop has no listener, and the work must not fail because of that.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._store, event)

    async def run(self, pending: PendingCall) -> None:
        """Send events until the call has its answer; the loop preserves the order of the threads' events."""
        pending.future.add_done_callback(lambda _: self.put(None))
        while True:
            await self._wake.wait()
            self._wake.clear()
            event, self._latest = self._latest, None
            if event is not None:
                note = ProgressEventNotification(params=self._build_params(event))
                await self._ctx.session.send_notification(note, self._ctx.request_id)
            if self._answered and self._latest is None:
                return

    def _store(self, event: ProgressEvent | None) -> None:
        self._latest = event or self._latest
        self._answered = self._answered or event is None
        self._wake.set()

    def _build_params(self, event: ProgressEvent) -> ProgressParams:
        ours = {"tool": event.tool, "stream": event.stream, "phase": event.phase, "ts": event.ts}
        beside = ours if self._ctx.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS else {}
        return ProgressParams(
            progress_token=self._token,
            progress=event.progress,
            total=event.total,
            message=event.message,
            _meta=dict(ours),
            **beside,
        )
