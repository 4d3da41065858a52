"""HTTP exchange: one GET over HTTP/1.1 that follows redirects and streams the body.

h11 parses the response: it is strict about lengths and chunks, so a body that ends early or is framed wrongly is an
error and never a shorter file.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import h11

from codecompass.errors import Failure
from codecompass.fetch.checked_connection import CheckedConnection
from codecompass.fetch.fetch_policy import FetchDeadline, FetchPolicy, RetryableFetchError
from codecompass.fetch.source_url import SourceUrl, resolve_redirect

MAX_REDIRECTS = 5
MAX_HEAD = 32_768
"""Bytes of the status line and headers of a response."""
_MAX_INFORMATIONAL = 8
"""Informational (1xx) responses before the final one."""
_REDIRECTS = (301, 302, 303, 307, 308)
USER_AGENT = "codecompass"
MAX_RETRY_AFTER_S = 1e9
"""Upper bound of Retry-After in seconds."""


@dataclass
class FetchResponse:
    """Status and headers of a response; `read_body` reads its body once."""

    place: SourceUrl
    status: int
    headers: Mapping[str, str]
    _wire: h11.Connection
    _connection: CheckedConnection

    def read_body(self) -> Iterator[bytes]:
        """Yield the body to its end; RetryableFetchError when it is incomplete."""
        while True:
            event = _next_event(self._wire, self._connection)
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return
            else:
                raise RetryableFetchError("the response ended early")

    @property
    def length(self) -> int | None:
        """Value of Content-Length, if any."""
        text = self.headers.get("content-length", "")
        return int(text) if text.isascii() and text.isdigit() else None

    @property
    def retry_after(self) -> float:
        """Value of Retry-After in seconds; 0 without the header."""
        text = self.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdigit():
            return min(float(text), MAX_RETRY_AFTER_S)
        # The date is relative to the server's clock, which may differ from ours.
        now = _parse_http_date(self.headers.get("date", "")) or time.time()
        return min(max(0.0, _parse_http_date(text) - now), MAX_RETRY_AFTER_S)


def _parse_http_date(text: str) -> float:
    """Parse an HTTP date to seconds; 0 when it is not valid."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0


@contextmanager
def open_response(
    place: SourceUrl, headers: Mapping[str, str], policy: FetchPolicy, clock: FetchDeadline
) -> Iterator[FetchResponse]:
    """Request a URL, follow redirects, and yield the final response."""
    seen = {place.url}
    for _ in range(MAX_REDIRECTS + 1):
        connection = CheckedConnection(place, policy, clock)
        try:
            response = _send_request(place, headers, connection)
            if response.status not in _REDIRECTS or "location" not in response.headers:
                yield response
                return
            place = resolve_redirect(place, response.headers["location"])
        finally:
            connection.close()
        if place.url in seen:
            raise Failure("DOWNLOAD_FAILED", f"{place.display_url} redirects in a loop.", hint="Use another source.")
        seen.add(place.url)
    raise Failure("DOWNLOAD_FAILED", f"There are more than {MAX_REDIRECTS} redirects, the last to {place.display_url}.",
                  hint="Use the final URL.")  # fmt: skip


def _send_request(place: SourceUrl, headers: Mapping[str, str], connection: CheckedConnection) -> FetchResponse:
    wire = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
    # No content encoding: hashes and lengths are those of the file itself.
    fixed = {"Host": place.authority, "User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "identity",
             "Connection": "close"}  # fmt: skip
    proxy = connection.plain_proxy
    target = place.url if proxy is not None else place.path
    credentials = proxy.headers if proxy is not None else {}
    request = h11.Request(method="GET", target=target, headers=list({**fixed, **headers, **credentials}.items()))
    connection.send((wire.send(request) or b"") + (wire.send(h11.EndOfMessage()) or b""))
    for _ in range(_MAX_INFORMATIONAL):
        event = _next_event(wire, connection)
        if isinstance(event, h11.Response):
            found: dict[str, str] = {}
            for name, value in event.headers:
                found.setdefault(name.decode("ascii", "replace").lower(), value.decode("latin-1"))
            return FetchResponse(place, event.status_code, found, wire, connection)
        if not isinstance(event, h11.InformationalResponse):
            break
    raise RetryableFetchError("the server sent no usable response")


def _next_event(wire: h11.Connection, connection: CheckedConnection) -> object:
    try:
        while True:
            event = wire.next_event()
            if event is not h11.NEED_DATA:
                return event
            wire.receive_data(connection.receive())
    except h11.RemoteProtocolError:
        raise RetryableFetchError("the response is truncated or not valid HTTP") from None
