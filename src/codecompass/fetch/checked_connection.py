"""Checked connection: a byte stream to a checked address that can be cancelled at any time."""

import contextlib
import selectors
import socket
import ssl

from codecompass.errors import Failure
from codecompass.fetch.address_rules import check_proxied_host, resolve_allowed_host, resolve_host
from codecompass.fetch.fetch_policy import FetchDeadline, FetchPolicy, RetryableFetchError
from codecompass.fetch.proxies import ProxyServer, parse_proxy
from codecompass.fetch.source_url import SourceUrl

_POLL = 0.1
"""Seconds between two checks of the deadline."""
_READ = 65_536
_STEP_TIMEOUT_S = 15.0
"""Seconds for a handshake or for sending a request."""
_MAX_PROXY_HEAD = 16_384


class CheckedConnection:
    """A socket, with TLS for https. Reads wait in small steps and check the deadline between them."""

    def __init__(self, place: SourceUrl, policy: FetchPolicy, clock: FetchDeadline) -> None:
        self._clock = clock
        proxy = policy.proxies.select_proxy(place)
        self.plain_proxy = parse_proxy(proxy) if proxy else None
        """The proxy of a plain HTTP request: the request then has the whole URL and the proxy's credentials."""
        self._socket = (
            self._connect_to_proxy(self.plain_proxy, place, policy)
            if self.plain_proxy
            else self._connect_directly(place, policy)
        )
        try:
            if place.scheme == "https":
                if self.plain_proxy is not None:
                    self._open_tunnel(place, self.plain_proxy)
                    self.plain_proxy = None
                self._start_tls(place, policy)
        except BaseException:
            self.close()
            raise
        self._socket.settimeout(_POLL)

    def _connect_directly(self, place: SourceUrl, policy: FetchPolicy) -> socket.socket:
        addresses = resolve_allowed_host(place.host, place.port, policy, self._clock)
        return self._connect_first(addresses, place.port, place.host)

    def _connect_to_proxy(self, proxy: ProxyServer, place: SourceUrl, policy: FetchPolicy) -> socket.socket:
        """Connect to the proxy, which resolves the host; check the host as far as we can."""
        check_proxied_host(place.host, place.port, policy, self._clock)
        return self._connect_first(resolve_host(proxy.host, proxy.port, self._clock), proxy.port, "the proxy")

    def _connect_first(self, addresses: list[str], port: int, name: str) -> socket.socket:
        """Connect to the first address that answers."""
        for address in addresses:
            made = self._dial(address, port)
            if made is not None:
                self._clock.reset_idle()
                return made
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

    def _open_tunnel(self, place: SourceUrl, proxy: ProxyServer) -> None:
        host = f"[{place.host}]" if ":" in place.host else place.host
        lines = [f"CONNECT {host}:{place.port} HTTP/1.1", f"Host: {host}:{place.port}"]
        lines += [f"{name}: {value}" for name, value in proxy.headers.items()]
        self.send("\r\n".join((*lines, "", "")).encode())
        self._socket.settimeout(_POLL)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            one = self.receive(1)  # bytes after the head belong to the tunnel
            head += one
            if not one or len(head) > _MAX_PROXY_HEAD:
                raise RetryableFetchError("the proxy gave no usable answer")
        status = b"".join(head.split(b" ", 2)[1:2])
        if status != b"200":
            shown = status.decode("ascii", "replace")[:3] if status.isdigit() else "without a status"
            raise RetryableFetchError(f"the proxy does not connect to that host and answers {shown}")

    def _start_tls(self, place: SourceUrl, policy: FetchPolicy) -> None:
        try:
            context = ssl.create_default_context(cafile=policy.ca_file or None)
        except (OSError, ssl.SSLError):
            raise Failure("INVALID_REQUEST", "The file in downloads.ca_file has no valid certificates.") from None
        self._socket.settimeout(min(_STEP_TIMEOUT_S, self._clock.step_seconds))
        try:
            self._socket = context.wrap_socket(self._socket, server_hostname=place.host)
        except ssl.SSLCertVerificationError as error:
            raise Failure(
                "DOWNLOAD_FAILED",
                f"The certificate of {place.host} is not valid: {error.verify_message}.",
                hint="If the host uses a private certificate authority, set downloads.ca_file to its certificates.",
            ) from None
        except (OSError, ValueError):
            raise RetryableFetchError(f"the TLS handshake with {place.host} failed") from None

    def send(self, data: bytes) -> None:
        self._socket.settimeout(min(_STEP_TIMEOUT_S, self._clock.step_seconds))
        try:
            self._socket.sendall(data)
        except OSError:
            raise RetryableFetchError("the connection broke") from None
        finally:
            self._socket.settimeout(_POLL)

    def receive(self, most: int = _READ) -> bytes:
        """Read the next bytes; empty at the end of the stream."""
        while True:
            self._clock.check()
            try:
                data = self._socket.recv(most)
            except TimeoutError:
                continue
            except OSError:
                raise RetryableFetchError("the connection broke") from None
            self._clock.reset_idle()
            return data

    def close(self) -> None:
        self._socket.close()
