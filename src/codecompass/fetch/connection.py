"""Connection: one stream of bytes to a checked address, which can be given up at any moment."""

import contextlib
import selectors
import socket
import ssl
from urllib.parse import urlsplit

from codecompass.errors import Failure
from codecompass.fetch.address import check_address, check_host, checked_addresses, literal
from codecompass.fetch.location import Location
from codecompass.fetch.policy import Clock, Dropped, Policy

_POLL = 0.1
"""Seconds between two looks at the clock."""
_READ = 65_536
_STEP = 15.0
"""Seconds for a handshake, or for a request to be taken."""
_MOST_PROXY_HEAD = 16_384
LOCAL_NAMES = ("localhost", "ip6-localhost")


class Connection:
    """A socket, encrypted where the location asks for it. Reading waits in small steps and looks at the clock."""

    def __init__(self, place: Location, policy: Policy, clock: Clock) -> None:
        self._clock = clock
        self.by_proxy = bool(policy.proxy)
        """Requests name the whole URL when a proxy carries them openly."""
        self._socket = self._through_proxy(place, policy) if policy.proxy else self._direct(place, policy)
        try:
            if place.scheme == "https":
                if self.by_proxy:
                    self._tunnel(place)
                    self.by_proxy = False
                self._encrypt(place, policy)
        except BaseException:
            self.close()
            raise
        self._socket.settimeout(_POLL)

    def _direct(self, place: Location, policy: Policy) -> socket.socket:
        addresses = checked_addresses(place.host, place.port, policy, self._clock)
        return self._first(addresses, place.port, place.host)

    def _through_proxy(self, place: Location, policy: Policy) -> socket.socket:
        """The proxy finds the addresses; what can be judged here, by name, is."""
        check_host(place.host, policy)
        if literal(place.host):
            check_address(place.host, place.host, policy)
        elif place.host.lower().rstrip(".") in LOCAL_NAMES:
            check_address(place.host, "127.0.0.1", policy)
        try:
            parts = urlsplit(policy.proxy)
            host, port = parts.hostname or "", parts.port or 3128
        except ValueError:
            host, port = "", 0
        if not host or parts.scheme != "http" or parts.username is not None:
            raise Failure("INVALID_REQUEST", "The setting downloads.proxy must be like http://host:port.")
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            raise Dropped("the proxy has no address that can be found from here") from None
        return self._first([str(row[4][0]) for row in rows], port, "the proxy")

    def _first(self, addresses: list[str], port: int, name: str) -> socket.socket:
        """A connection to the first address that answers."""
        for address in addresses:
            made = self._dial(address, port)
            if made is not None:
                self._clock.moved()
                return made
        raise Dropped(f"{name} does not take connections on port {port}")

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

    def _tunnel(self, place: Location) -> None:
        host = f"[{place.host}]" if ":" in place.host else place.host
        self.send(f"CONNECT {host}:{place.port} HTTP/1.1\r\nHost: {host}:{place.port}\r\n\r\n".encode())
        self._socket.settimeout(_POLL)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            one = self.receive(1)  # what follows the head belongs to the other end
            head += one
            if not one or len(head) > _MOST_PROXY_HEAD:
                raise Dropped("the proxy gave no usable answer")
        if head.split(b" ", 2)[1:2] != [b"200"]:
            raise Dropped("the proxy does not connect to that host")

    def _encrypt(self, place: Location, policy: Policy) -> None:
        try:
            context = ssl.create_default_context(cafile=policy.ca_file or None)
        except (OSError, ssl.SSLError):
            raise Failure("INVALID_REQUEST", "The file of downloads.ca_file holds no certificates.") from None
        self._socket.settimeout(min(_STEP, self._clock.left))
        try:
            self._socket = context.wrap_socket(self._socket, server_hostname=place.host)
        except ssl.SSLCertVerificationError as error:
            raise Failure(
                "DOWNLOAD_FAILED",
                f"{place.host} cannot prove who it is: {error.verify_message}.",
                hint="If the host has a certificate of your own, name its authority in downloads.ca_file.",
            ) from None
        except (OSError, ValueError):
            raise Dropped(f"{place.host} does not agree on an encrypted connection") from None

    def send(self, data: bytes) -> None:
        self._socket.settimeout(min(_STEP, self._clock.left))
        try:
            self._socket.sendall(data)
        except OSError:
            raise Dropped("the connection broke") from None
        finally:
            self._socket.settimeout(_POLL)

    def receive(self, most: int = _READ) -> bytes:
        """The next bytes; empty at the end of the stream."""
        while True:
            self._clock.check()
            try:
                data = self._socket.recv(most)
            except TimeoutError:
                continue
            except OSError:
                raise Dropped("the connection broke") from None
            self._clock.moved()
            return data

    def close(self) -> None:
        self._socket.close()
