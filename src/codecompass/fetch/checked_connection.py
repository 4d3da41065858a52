"""Checked connection: the network below the HTTP client, which connects only to checked addresses.

Every wait is in small steps that check the deadline, so a download can be cancelled at any time.
"""

import contextlib
import selectors
import socket
import ssl
from collections.abc import Iterable

import httpcore2

from codecompass.errors import Failure
from codecompass.fetch.address_rules import check_proxied_host, resolve_allowed_host, resolve_host
from codecompass.fetch.fetch_policy import FetchDeadline, FetchPolicy, RetryableFetchError
from codecompass.fetch.proxies import parse_proxy
from codecompass.fetch.source_url import SourceUrl

MAX_HEAD = 32_768
"""Bytes that may come before the end of a response's head, informational responses included."""
_POLL = 0.1
"""Seconds between two checks of the deadline."""
_STEP_TIMEOUT_S = 15.0
"""Seconds for a handshake or for sending a request."""


class CheckedNetwork(httpcore2.NetworkBackend):
    """Opens the one connection of a request, to the host or to its proxy."""

    def __init__(self, place: SourceUrl, policy: FetchPolicy, clock: FetchDeadline) -> None:
        self._place = place
        self._policy = policy
        self._clock = clock
        proxy = policy.proxies.select_proxy(place)
        self.proxy = parse_proxy(proxy) if proxy else None
        self.head_left: int | None = MAX_HEAD
        """Bytes that may still be read before the head ends; None after it."""

    def finish_head(self) -> None:
        """Allow any number of bytes: the head of the response is complete."""
        self.head_left = None

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the host or its proxy, whatever the client names: both are checked here, each resolved once."""
        place, proxy = self._place, self.proxy
        if proxy is None:
            addresses = resolve_allowed_host(place.host, place.port, self._policy, self._clock)
            return self._connect_first(addresses, place.port, place.host)
        # The proxy resolves the host; check the host as far as we can.
        check_proxied_host(place.host, place.port, self._policy, self._clock)
        return self._connect_first(resolve_host(proxy.host, proxy.port, self._clock), proxy.port, "the proxy")

    def _connect_first(self, addresses: list[str], port: int, name: str) -> "CheckedStream":
        """Connect to the first address that answers."""
        for address in addresses:
            made = self._dial(address, port)
            if made is not None:
                self._clock.reset_idle()
                return CheckedStream(made, self, self._clock)
        raise RetryableFetchError(f"{name} does not accept connections on port {port}")

    def _dial(self, address: str, port: int) -> socket.socket | None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            made = socket.socket(family, socket.SOCK_STREAM)
        except OSError:
            return None
        try:
            made.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                made.connect((address, port))
            with selectors.DefaultSelector() as ready:
                ready.register(made, selectors.EVENT_WRITE)
                while not ready.select(_POLL):
                    self._clock.check()
            if made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                made.close()
                return None
            return made
        except OSError:
            made.close()
            return None
        except BaseException:
            made.close()
            raise


class CheckedStream(httpcore2.NetworkStream):
    """A socket, with TLS for https. Reads wait in small steps and check the deadline between them."""

    def __init__(self, made: socket.socket, network: CheckedNetwork, clock: FetchDeadline) -> None:
        self._socket = made
        self._network = network
        self._clock = clock

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> "CheckedStream":
        """Make the handshake, which checks the certificate against the name of the host."""
        self._network.head_left = MAX_HEAD  # the proxy's response to CONNECT has ended
        self._socket.settimeout(min(_STEP_TIMEOUT_S, self._clock.step_seconds))
        try:
            secure = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise Failure(
                "DOWNLOAD_FAILED",
                f"The certificate of {server_hostname} is not valid: {error.verify_message}.",
                hint="If the host uses a private certificate authority, set downloads.ca_file to its certificates.",
            ) from None
        except (OSError, ValueError):
            self.close()
            raise RetryableFetchError(f"the TLS handshake with {server_hostname} failed") from None
        return CheckedStream(secure, self._network, self._clock)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._socket.settimeout(min(_STEP_TIMEOUT_S, self._clock.step_seconds))
        try:
            self._socket.sendall(buffer)
        except OSError:
            raise RetryableFetchError("the connection broke") from None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read the next bytes; empty at the end of the stream."""
        left = self._network.head_left
        if left == 0:
            raise RetryableFetchError("the server sent no usable response: its head is too long or not valid HTTP")
        self._socket.settimeout(_POLL)
        while True:
            self._clock.check()
            try:
                data = self._socket.recv(max_bytes if left is None else min(max_bytes, left))
            except TimeoutError:
                continue
            except OSError:
                raise RetryableFetchError("the connection broke") from None
            self._clock.reset_idle()
            if left is not None:
                self._network.head_left = left - len(data)
            return data

    def close(self) -> None:
        self._socket.close()
