"""Exchange: one GET over HTTP/1.1, redirects followed, its body handed over piece by piece.

h11 reads what the server sends: it is strict about lengths and chunks, so a body that ends early or is framed wrongly
is an error and never a shorter file.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import h11

from codecompass.errors import Failure
from codecompass.fetch.checked_connection import Connection
from codecompass.fetch.fetch_policy import Clock, Dropped, Policy
from codecompass.fetch.source_url import Location, redirected

MAX_REDIRECTS = 5
MAX_HEAD = 32_768
"""Bytes of the status line and headers of an answer."""
_MOST_EARLY = 8
"""Answers before the answer."""
_REDIRECTS = (301, 302, 303, 307, 308)
AGENT = "codecompass"
FOREVER = 1e9
"""Seconds; whatever is longer is no shorter than this."""


@dataclass
class Response:
    """The head of an answer; `pieces` reads its body once."""

    place: Location
    status: int
    headers: Mapping[str, str]
    _wire: h11.Connection
    _connection: Connection

    def pieces(self) -> Iterator[bytes]:
        """The body, to its very end; Dropped when it does not come whole."""
        while True:
            event = _next(self._wire, self._connection)
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return
            else:
                raise Dropped("the answer broke off")

    @property
    def length(self) -> int | None:
        """How long the body says it is."""
        text = self.headers.get("content-length", "")
        return int(text) if text.isascii() and text.isdigit() else None

    @property
    def retry_after(self) -> float:
        """Seconds after which the server wants to be asked again; 0 where it does not say."""
        text = self.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdigit():
            return min(float(text), FOREVER)
        # The server's date counts from the server's clock: ours may be another.
        now = _moment(self.headers.get("date", "")) or time.time()
        return min(max(0.0, _moment(text) - now), FOREVER)


def _moment(text: str) -> float:
    """A date of HTTP in seconds; 0 where it is none."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0


@contextmanager
def get(place: Location, headers: Mapping[str, str], policy: Policy, clock: Clock) -> Iterator[Response]:
    """Ask for a location and whatever it redirects to."""
    seen = {place.url}
    for _ in range(MAX_REDIRECTS + 1):
        connection = Connection(place, policy, clock)
        try:
            response = _ask(place, headers, connection)
            if response.status not in _REDIRECTS or "location" not in response.headers:
                yield response
                return
            place = redirected(place, response.headers["location"])
        finally:
            connection.close()
        if place.url in seen:
            raise Failure("DOWNLOAD_FAILED", f"{place.shown} redirects in a circle.", hint="Name another source.")
        seen.add(place.url)
    raise Failure("DOWNLOAD_FAILED", f"There are more than {MAX_REDIRECTS} redirects, the last to {place.shown}.",
                  hint="Name the place where they end.")  # fmt: skip


def _ask(place: Location, headers: Mapping[str, str], connection: Connection) -> Response:
    wire = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
    # Nothing may be packed on its way: hashes and lengths are those of the file itself.
    fixed = {"Host": place.authority, "User-Agent": AGENT, "Accept": "*/*", "Accept-Encoding": "identity",
             "Connection": "close"}  # fmt: skip
    proxy = connection.carrier
    target = place.url if proxy is not None else place.path
    told = proxy.headers if proxy is not None else {}
    request = h11.Request(method="GET", target=target, headers=list({**fixed, **headers, **told}.items()))
    connection.send((wire.send(request) or b"") + (wire.send(h11.EndOfMessage()) or b""))
    for _ in range(_MOST_EARLY):
        event = _next(wire, connection)
        if isinstance(event, h11.Response):
            found: dict[str, str] = {}
            for name, value in event.headers:
                found.setdefault(name.decode("ascii", "replace").lower(), value.decode("latin-1"))
            return Response(place, event.status_code, found, wire, connection)
        if not isinstance(event, h11.InformationalResponse):
            break
    raise Dropped("the server gave no usable answer")


def _next(wire: h11.Connection, connection: Connection) -> object:
    try:
        while True:
            event = wire.next_event()
            if event is not h11.NEED_DATA:
                return event
            wire.receive_data(connection.receive())
    except h11.RemoteProtocolError:
        raise Dropped("the answer is cut short or is no proper HTTP") from None
