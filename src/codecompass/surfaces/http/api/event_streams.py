"""Server-sent event streams: events in the order start, progress*, result or error, done.

A stream buffers at most one event: a client that does not read blocks the writer, newer progress replaces
older, and the connection's write timeout disconnects a client that reads nothing.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

import anyio
from starlette.types import Send

from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply
from codecompass.runtime.deadline import PendingCall
from codecompass.runtime.progress import ProgressEvent
from codecompass.surfaces.http.answers import HttpError, RequestContext, shape_failure, shape_success

HEARTBEAT = b": alive\n\n"
HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
LINE_BREAKS = {mark.encode(): f"\\u{ord(mark):04x}".encode() for mark in "\x85\u2028\u2029"}
"""Characters that some readers treat as line breaks, and their JSON escapes."""


class SseWriter:
    """Writes the events of one response."""

    def __init__(self, context: RequestContext, send: Send, beat_s: float) -> None:
        self._context = context
        self._send = send
        self._beat_s = beat_s

    async def start(self, result: Mapping[str, Any], **more: object) -> None:
        """Send the response headers and the event `start`."""
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self.send_event("start", result, **more)

    async def send_event(self, event: str, result: Mapping[str, Any], warnings: object = None, **more: object) -> None:
        """Send one event with a success envelope."""
        await self._write(event, shape_success(self._context, result, warnings, **more))

    async def send_error(self, error: HttpError) -> None:
        """Send the event `error`."""
        await self._write("error", shape_failure(self._context, error))

    async def close(self) -> None:
        """Send the event `done` and end the response."""
        await self.send_event("done", {})
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def wait(self, event: asyncio.Event) -> None:
        """Wait for an event and send heartbeat comments, so that proxies do not close a silent connection."""
        while True:
            with anyio.move_on_after(self._beat_s):
                await event.wait()
                return
            await self._send({"type": "http.response.body", "body": HEARTBEAT, "more_body": True})

    async def _write(self, event: str, form: Mapping[str, Any]) -> None:
        # JSON on one line, so that no text can end the event.
        text = encode(form)
        for mark, spelled in LINE_BREAKS.items():
            text = text.replace(mark, spelled)
        data = b"event: " + event.encode() + b"\ndata: " + text + b"\n\n"
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


class ProgressChannel:
    """Passes progress of one call from any thread to the event loop; only the newest event is buffered."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._latest: ProgressEvent | None = None
        self._answered = False

    def put(self, event: ProgressEvent | None) -> None:
        """Add an event, or None when the call has its answer. Callable from any thread."""
        # A closed loop has no listener, and the work must not fail because of that.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._store, event)

    async def relay(self, pending: PendingCall, writer: SseWriter) -> Reply:
        """Send progress events until the call has its answer; return the answer."""
        pending.future.add_done_callback(lambda _: self.put(None))
        while True:
            await writer.wait(self._wake)
            self._wake.clear()
            event, self._latest = self._latest, None
            if event is not None:
                await writer.send_event("progress", shape_progress(event))
            if self._answered and self._latest is None:
                return pending.future.result()

    def _store(self, event: ProgressEvent | None) -> None:
        self._latest = event or self._latest
        self._answered = self._answered or event is None
        self._wake.set()


def shape_progress(event: ProgressEvent) -> dict[str, Any]:
    """Shape a progress event."""
    form: dict[str, Any] = {
        "phase": event.phase, "message": event.message, "progress": event.progress, "tool": event.tool,
        "stream": event.stream, "ts": event.ts,
    }  # fmt: skip
    return form if event.total is None else form | {"total": event.total}
