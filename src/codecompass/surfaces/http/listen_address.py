"""Listening sockets of the server. An address that other machines can reach requires a token."""

import errno
import ipaddress
import socket
from dataclasses import dataclass

from codecompass.errors import Failure

BACKLOG = 128


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Bound sockets, all on one port."""

    host: str
    port: int
    sockets: tuple[socket.socket, ...]

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.netloc}"

    def close(self) -> None:
        for sock in self.sockets:
            sock.close()


def bind_sockets(host: str, port: int, *, protected: bool) -> ListenAddress:
    """Bind every address of a host name; port 0 selects a free port."""
    if not 0 <= port <= 65_535:
        raise Failure("INVALID_REQUEST", f"The port must lie between 0 and 65535, not {port}.")
    found = _resolve(host)
    if not protected and not all(ipaddress.ip_address(name.split("%")[0]).is_loopback for _, name in found):
        message = f"Without a token the server listens on this machine only, and {ascii(host)} is reachable by others."
        hint = "Set CODECOMPASS_HTTP_AUTH_TOKEN or --auth-token-file, or leave --host out."
        raise Failure("UNAUTHORIZED", message, hint=hint)
    bound: list[socket.socket] = []
    try:
        for family, name in found:
            bound.append(_bind(family, name, port))
            port = bound[0].getsockname()[1]
    except OSError as error:
        for sock in bound:
            sock.close()
        raise Failure("INVALID_REQUEST", _describe_error(error, host, port), hint=_suggest_port(error)) from None
    return ListenAddress(host, port, tuple(bound))


def _resolve(host: str) -> list[tuple[socket.AddressFamily, str]]:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise Failure("INVALID_REQUEST", f"The host {ascii(host)} is not an address or name of this machine.") from None
    return list(dict.fromkeys((family, str(place[0])) for family, _, _, _, place in rows))


def _bind(family: socket.AddressFamily, name: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((name, port))
        # Two servers may bind one port before either listens; listening now makes the second one fail here.
        sock.listen(BACKLOG)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock


def _describe_error(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is in use by another program."
    if error.errno == errno.EACCES:
        return f"Port {port} of {host} needs rights that this user does not have."
    return f"{host}:{port} cannot be listened on ({error.strerror})."


def _suggest_port(error: OSError) -> str:
    return "Choose another with --port; --port 0 takes a free one." if error.errno != errno.EADDRNOTAVAIL else ""
