"""Streams: answers as server-sent events, always in the order start, progress*, result or error, done.

A stream holds at most one event that waits: a client that does not read holds up the writing, newer progress takes the
place of older, and the connection's write limit ends whoever reads nothing at all.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

import anyio
from starlette.types import Send

from codecompass.contract.encoding import encode
from codecompass.contract.envelope import Reply
from codecompass.runtime.deadline import Pending
from codecompass.runtime.progress import ProgressEvent
from codecompass.surfaces.http.api.answers import Refused, Visit, failure_form, success_form

BEAT = b": alive\n\n"
HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
BREAKS = {mark.encode(): f"\\u{ord(mark):04x}".encode() for mark in "\x85\u2028\u2029"}
"""Characters that many a reader takes for the end of a line, and how JSON spells them."""


class Teller:
    """Writes the events of one response."""

    def __init__(self, visit: Visit, send: Send, beat_s: float) -> None:
        self._visit = visit
        self._send = send
        self._beat_s = beat_s

    async def open(self, result: Mapping[str, Any], **more: object) -> None:
        """The head of the response, and `start`."""
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self.tell("start", result, **more)

    async def tell(self, event: str, result: Mapping[str, Any], warnings: object = None, **more: object) -> None:
        """One event with a good envelope."""
        await self._write(event, success_form(self._visit, result, warnings, **more))

    async def fail(self, said: Refused) -> None:
        """The event `error`."""
        await self._write("error", failure_form(self._visit, said))

    async def close(self) -> None:
        """`done`, which says nothing but that all is said."""
        await self.tell("done", {})
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def wait(self, event: asyncio.Event) -> None:
        """Wait, with a comment now and then, so that whoever stands between does not take silence for an end."""
        while True:
            with anyio.move_on_after(self._beat_s):
                await event.wait()
                return
            await self._send({"type": "http.response.body", "body": BEAT, "more_body": True})

    async def _write(self, event: str, form: Mapping[str, Any]) -> None:
        # JSON on one line: whatever the text holds, it stays within its event.
        text = encode(form)
        for mark, spelled in BREAKS.items():
            text = text.replace(mark, spelled)
        data = b"event: " + event.encode() + b"\ndata: " + text + b"\n\n"
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


class Feed:
    """Progress of one call, from any thread to the loop; the newest event is kept and no other."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._latest: ProgressEvent | None = None
        self._answered = False

    def put(self, event: ProgressEvent | None) -> None:
        """From any thread: an event, or None when the call has its answer."""
        # A loop that is closed has nobody who listens, and the work must not fail over that.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._take, event)

    async def relay(self, pending: Pending, teller: Teller) -> Reply:
        """Tell what comes until the call has its answer, which is returned."""
        pending.future.add_done_callback(lambda _: self.put(None))
        while True:
            await teller.wait(self._wake)
            self._wake.clear()
            event, self._latest = self._latest, None
            if event is not None:
                await teller.tell("progress", progress_form(event))
            if self._answered and self._latest is None:
                return pending.future.result()

    def _take(self, event: ProgressEvent | None) -> None:
        self._latest = event or self._latest
        self._answered = self._answered or event is None
        self._wake.set()


def progress_form(event: ProgressEvent) -> dict[str, Any]:
    """An event as every transport words it."""
    form: dict[str, Any] = {
        "phase": event.phase, "message": event.message, "progress": event.progress, "tool": event.tool,
        "stream": event.stream, "ts": event.ts,
    }  # fmt: skip
    return form if event.total is None else form | {"total": event.total}
