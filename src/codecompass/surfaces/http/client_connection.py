"""HTTP connections with timeouts for everything that a client can leave unfinished.

The protocol implementation underneath has no timeout for reading a request and waits forever for a client that does
not read. The server checks all connections periodically and closes those that were in one state for too long.
"""

import asyncio
import secrets
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from codecompass.contract.encoding import encode
from codecompass.errors import ErrorCode
from codecompass.runtime.log import Log
from codecompass.surfaces.http.answers import HttpError, RequestContext, shape_failure
from codecompass.surfaces.http.server_options import HttpOptions
from codecompass.system.resource_limits import read_soft_limit

LINGER_S, LINGER_BYTES = 5.0, 33_554_432
"""How long and how many bytes of a refused body are still read, so that the client receives the error."""
BUSY_RESPONSE = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close\r\nretry-after: 1\r\n"
    b"content-length: %d\r\n\r\n%s"
)
WARN_INTERVAL_S = 10.0


class ThrottledLog:
    """Logs each event at most once per interval, with the number of suppressed repetitions."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._last: dict[str, float] = {}
        self._more: dict[str, int] = {}

    def warn(self, event: str, now: float, **fields: object) -> None:
        if now - self._last.get(event, -WARN_INTERVAL_S) < WARN_INTERVAL_S:
            self._more[event] = self._more.get(event, 0) + 1
            return
        self._last[event] = now
        self._log.event("warning", event, more=self._more.pop(event, 0), **fields)


def compute_max_connections(wanted: int) -> int:
    """Return the connection limit: well below the process's file descriptors, which the engine needs too."""
    descriptors = read_soft_limit("open_files")
    if descriptors is None:
        return wanted
    return max(4, min(wanted, descriptors - 128 if descriptors > 256 else descriptors // 3))


class HttpConnection(H11Protocol):
    """A connection that records since when it waits."""

    def __init__(self, options: HttpOptions, most: int, throttle: ThrottledLog, **inherited: Any) -> None:  # noqa: ANN401
        super().__init__(**inherited)
        self._options = options
        self._most = most
        self._throttle = throttle
        self._since = self.loop.time()
        """When the current wait began: for a request, or for the rest of one."""
        self._partial = True
        self._stuck: float | None = None
        self._closing: float | None = None
        self._surplus = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > self._most:
            self._throttle.warn("too_many_connections", self._since, most=self._most)
            body = _encode_error("QUEUE_OVERLOADED", "Too many connections are open.")
            transport.write(BUSY_RESPONSE % (len(body), body))
            transport.close()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._answered and self.conn.their_state is h11.SEND_BODY:
            self._surplus += len(data)
            if self._surplus > LINGER_BYTES:
                self.transport.abort()
                return
        elif self._answered and not self._partial:
            self._since, self._partial = self.loop.time(), True
        super().data_received(data)

    def on_response_complete(self) -> None:
        self._since, self._partial, self._surplus = self.loop.time(), False, 0
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._stuck = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._stuck = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer input that is not valid HTTP with an envelope, like every other error."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        body = _encode_error("INVALID_REQUEST", "The request is not valid HTTP.")
        headers = [
            (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()),
            (b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"), (b"connection", b"close"),
        ]  # fmt: skip
        for event in (h11.Response(status_code=400, headers=headers, reason=b"Bad Request"), h11.Data(data=body)):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def close_if_stalled(self, now: float) -> None:
        """Close the connection if it has waited too long."""
        if self.transport.is_closing():
            self._closing = self._closing or now
            if now - self._closing > self._options.write_s:
                self.transport.abort()
        elif self._stuck is not None:
            if now - self._stuck > self._options.write_s:
                self._throttle.warn("client_does_not_read", now)
                self.transport.abort()
        elif self._answered:
            unread = self.conn.their_state is h11.SEND_BODY
            limit = LINGER_S if unread else self._options.header_s if self._partial else self._options.keep_alive_s
            if now - self._since > limit:
                self.transport.close()

    @property
    def _answered(self) -> bool:
        """Whether no request is in progress."""
        return self.cycle is None or self.cycle.response_complete


def _encode_error(code: ErrorCode, message: str) -> bytes:
    """Encode an error for input that never reached the middleware, because no request was read."""
    context = RequestContext(secrets.token_hex(8), time.monotonic(), "")
    return encode(shape_failure(context, HttpError(code, message)))
