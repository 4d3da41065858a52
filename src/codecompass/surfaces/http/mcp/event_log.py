"""Event buffer for MCP sessions: sent events are kept for a while, so that a client can resume after a disconnect.

All sessions share one byte budget and one maximum age; the oldest events are dropped first, of any session. Within a
stream, if an event is still buffered, so are all later ones: a replay has no gaps.
"""

import secrets
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field

import anyio
import mcp_types as types
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore

OVERHEAD = 512
"""Bytes counted for an event besides its text."""
STREAM_SHARE = 4
"""One stream may use this fraction of the budget."""


@dataclass(slots=True)
class _Stream:
    """The events of one request of one session, in order."""

    numbers: deque[int] = field(default_factory=deque)
    size: int = 0
    last_dropped: int = -1
    """Newest event that was dropped: a client that has not received it cannot resume."""
    ended: bool = False
    changed: anyio.Event = field(default_factory=anyio.Event)

    def notify(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()


@dataclass(frozen=True, slots=True)
class _Event:
    stream: _Stream
    owner: str
    message: types.JSONRPCMessage | None
    size: int
    moment: float


class EventBuffer:
    """The buffered events of all sessions, within the budget."""

    def __init__(self, max_bytes: int, max_age_s: float) -> None:
        self._max_bytes = max_bytes
        self._max_age = max_age_s
        self._events: OrderedDict[int, _Event] = OrderedDict()
        self._next = 0
        self.size = 0

    def add(self, stream: _Stream, owner: str, message: types.JSONRPCMessage | None) -> int:
        self._next += 1
        event = _Event(stream, owner, message, OVERHEAD + _estimate_size(message), time.monotonic())
        self._events[self._next] = event
        stream.numbers.append(self._next)
        stream.size += event.size
        self.size += event.size
        while stream.size > self._max_bytes // STREAM_SHARE:
            self._drop(stream.numbers[0])
        while self.size > self._max_bytes:
            self._drop(next(iter(self._events)))
        self.drop_expired()
        return self._next

    def drop_expired(self) -> None:
        """Drop events that are older than the maximum age."""
        too_old = time.monotonic() - self._max_age
        while self._events and next(iter(self._events.values())).moment < too_old:
            self._drop(next(iter(self._events)))

    def find(self, number: int, owner: str) -> _Event | None:
        event = self._events.get(number)
        return event if event is not None and event.owner == owner else None

    def drop_stream(self, stream: _Stream) -> None:
        while stream.numbers:
            self._drop(stream.numbers[0])
        stream.ended = True
        stream.notify()

    def list_after(self, stream: _Stream, number: int) -> list[tuple[int, types.JSONRPCMessage | None]]:
        return [(one, self._events[one].message) for one in stream.numbers if one > number]

    def _drop(self, number: int) -> None:
        event = self._events.pop(number)
        # The oldest event of all is the oldest of its stream.
        event.stream.numbers.popleft()
        event.stream.size -= event.size
        event.stream.last_dropped = number
        self.size -= event.size


class SessionEvents(EventStore):
    """The events of one session. Event ids of other sessions are unknown here."""

    def __init__(self, archive: EventBuffer) -> None:
        self._buffer = archive
        self._owner = secrets.token_hex(6)
        self._streams: dict[str, _Stream] = {}

    def can_resume(self, event_id: str) -> bool:
        """Whether a client can resume after this event."""
        return self._find(event_id) is not None

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        stream = self._streams.get(stream_id)
        if stream is None or stream.ended:
            # A reused request id starts a new stream; the old one can no longer be resumed.
            if stream is not None:
                self._buffer.drop_stream(stream)
            self._trim()
            stream = self._streams[stream_id] = _Stream()
        number = self._buffer.add(stream, self._owner, message)
        stream.ended = isinstance(message, types.JSONRPCResponse | types.JSONRPCError)
        stream.notify()
        return f"{self._owner}-{number}"

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> None:
        """Send the events after the given one, and continue until the stream has its answer.

        Continuing here, instead of handing the stream back to the transport, leaves no gap in which an
        event could be lost.
        """
        found = self._find(last_event_id)
        if found is None:
            return
        number, stream = found
        while True:
            waiting = stream.changed
            if stream.last_dropped > number:
                return
            for one, message in self._buffer.list_after(stream, number):
                number = one
                if message is not None:
                    await send_callback(EventMessage(message, f"{self._owner}-{one}"))
                if stream.last_dropped > number:
                    return
            if stream.ended and (not stream.numbers or stream.numbers[-1] <= number):
                return
            await waiting.wait()

    def close(self) -> None:
        """Drop all streams of the session and wake their readers."""
        for stream in self._streams.values():
            self._buffer.drop_stream(stream)
        self._streams.clear()

    def _trim(self) -> None:
        for name in [name for name, stream in self._streams.items() if stream.ended and not stream.numbers]:
            del self._streams[name]

    def _find(self, event_id: str) -> tuple[int, _Stream] | None:
        owner, _, digits = event_id.partition("-")
        if owner != self._owner or not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
            return None
        event = self._buffer.find(int(digits), self._owner)
        return (int(digits), event.stream) if event is not None else None


def _estimate_size(message: types.JSONRPCMessage | None) -> int:
    """Estimate the size of a message in bytes without encoding it."""
    if isinstance(message, types.JSONRPCResponse):
        texts = [part.get("text", "") for part in message.result.get("content", ()) if isinstance(part, dict)]
        # The text, and the same data again as objects.
        return 3 * sum(map(len, texts)) if texts else _estimate_value(message.result)
    if isinstance(message, types.JSONRPCNotification | types.JSONRPCRequest):
        return _estimate_value(message.params)
    return 0


def _estimate_value(value: object) -> int:
    if isinstance(value, dict):
        return 64 + sum(len(key) + _estimate_value(item) for key, item in value.items())
    if isinstance(value, list):
        return 64 + sum(map(_estimate_value, value))
    return len(value) if isinstance(value, str) else 32
