"""HTTP client: the one place that makes HTTP requests, for downloads and for the embedding endpoint.

httpx2 is the client; `checked_connection.py` is the network below it for downloads. It is strict about lengths and
chunks, so a body that ends early or is framed wrongly is an error and never a shorter file.
"""

import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpcore2
import httpx2

from codecompass.errors import Failure
from codecompass.fetch.checked_connection import CheckedNetwork
from codecompass.fetch.fetch_policy import FetchDeadline, FetchPolicy, RetryableFetchError
from codecompass.fetch.proxies import ProxyServer
from codecompass.fetch.source_url import SourceUrl, resolve_redirect

MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
# No content encoding: hashes and lengths are those of the file itself.
_HEADERS = {"User-Agent": "codecompass", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
MAX_RETRY_AFTER_S = 1e9
"""Upper bound of Retry-After in seconds."""


@dataclass
class FetchResponse:
    """Status and headers of a response; `read_body` reads its body once."""

    place: SourceUrl
    status: int
    headers: Mapping[str, str]
    _response: httpx2.Response

    def read_body(self) -> Iterator[bytes]:
        """Yield the body to its end; RetryableFetchError when it is incomplete."""
        return self._response.iter_raw()

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
        with _request_once(place, headers, policy, clock) as response:
            if response.status not in _REDIRECTS or "location" not in response.headers:
                yield response
                return
            place = resolve_redirect(place, response.headers["location"])
        if place.url in seen:
            raise Failure("DOWNLOAD_FAILED", f"{place.display_url} redirects in a loop.", hint="Use another source.")
        seen.add(place.url)
    raise Failure("DOWNLOAD_FAILED", f"There are more than {MAX_REDIRECTS} redirects, the last to {place.display_url}.",
                  hint="Use the final URL.")  # fmt: skip


@contextmanager
def _request_once(
    place: SourceUrl, headers: Mapping[str, str], policy: FetchPolicy, clock: FetchDeadline
) -> Iterator[FetchResponse]:
    """Send one GET over a connection of its own; a redirect is a response like any other."""
    network = CheckedNetwork(place, policy, clock)
    all_headers = {**_HEADERS, **headers, "Host": place.authority}
    with httpx2.Client(transport=_CheckedTransport(place, network, policy), trust_env=False, timeout=None) as client:
        # The client logs the URL of a request. The transport sends the path and the query, which may hold a key.
        try:
            request = client.build_request("GET", f"{place.scheme}://{place.authority}/", headers=all_headers)
        except httpx2.InvalidURL:
            raise Failure("INVALID_REQUEST", "This URL cannot be fetched: its host is not valid.") from None
        try:
            response = client.send(request, stream=True)
        except httpx2.RemoteProtocolError:  # the client parses a Location that it does not follow
            raise Failure("DOWNLOAD_FAILED", f"{place.display_url} redirects to an invalid URL.") from None
        found: dict[str, str] = {}
        for name, value in response.headers.raw:
            found.setdefault(name.decode("ascii", "replace").lower(), value.decode("latin-1"))
        try:
            yield FetchResponse(place, response.status_code, found, response)
        finally:
            response.close()


class _CheckedTransport(httpx2.BaseTransport):
    """Sends one request over a checked network, directly or through a proxy."""

    def __init__(self, place: SourceUrl, network: CheckedNetwork, policy: FetchPolicy) -> None:
        self._place = place
        self._network = network
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_make_tls_context(policy) if place.scheme == "https" else None,
            proxy=_describe_proxy(network.proxy) if network.proxy is not None else None,
            network_backend=network,
            max_keepalive_connections=0,
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        place = self._place
        host = f"[{place.host}]" if ":" in place.host else place.host
        # A proxy gets the URL as it was given: without a port when it is the usual one.
        plain_proxy = self._network.proxy is not None and place.scheme == "http"
        port = None if plain_proxy and place.authority == host else place.port
        sent = httpcore2.Request(
            request.method,
            httpcore2.URL(scheme=place.scheme, host=host, port=port, target=place.path),
            headers=request.headers.raw,
            extensions={"sni_hostname": place.host},
        )
        with _translate_errors():
            received = self._pool.handle_request(sent)
        self._network.finish_head()
        return httpx2.Response(received.status, headers=received.headers, stream=_CheckedBody(received))

    def close(self) -> None:
        self._pool.close()


class _CheckedBody(httpx2.SyncByteStream):
    """The body of a response, with errors that the fetcher knows."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _translate_errors():
            yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except httpcore2.ProxyError as error:
        status = str(error)[:3]
        raise RetryableFetchError(f"the proxy does not connect to that host and answers {status}") from None
    except httpcore2.ProtocolError:
        raise RetryableFetchError("the response is truncated or not valid HTTP") from None


def _describe_proxy(proxy: ProxyServer) -> httpcore2.Proxy:
    url = httpcore2.URL(scheme="http", host=proxy.host, port=proxy.port, target="/")
    return httpcore2.Proxy(url, headers=list(proxy.headers.items()))


def _make_tls_context(policy: FetchPolicy) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=policy.ca_file or None)
    except (OSError, ssl.SSLError):
        raise Failure("INVALID_REQUEST", "The file in downloads.ca_file has no valid certificates.") from None


def post_bytes(
    url: str, body: bytes, headers: Mapping[str, str], timeout_s: float, max_bytes: int
) -> tuple[int, bytes]:
    """Post to a configured service and return the status and at most `max_bytes` + 1 bytes of the response.

    Neither a redirect nor a proxy is used, so the body goes to the configured host or nowhere.
    """
    transport = httpx2.HTTPTransport(verify=ssl.create_default_context(), trust_env=False)
    data = bytearray()
    try:
        with (
            httpx2.Client(transport=transport, trust_env=False, follow_redirects=False, timeout=timeout_s) as client,
            client.stream("POST", url, content=body, headers={**_HEADERS, **headers}) as response,
        ):
            for piece in response.iter_raw():
                data += piece[: max_bytes + 1 - len(data)]
                if len(data) > max_bytes:
                    break
    except httpx2.TransportError as error:
        raise RetryableFetchError(type(error).__name__) from error
    return response.status_code, bytes(data)
