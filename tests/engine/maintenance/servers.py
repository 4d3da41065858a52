"""A web server of threads and plain sockets, told for each request what to send, byte by byte."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Request:
    """One request as it came."""

    number: int
    """How many came before it."""
    target: str
    headers: dict[str, str]
    line: str = ""


Behaviour = Callable[[Request, socket.socket], None]


@dataclass
class Server:
    """Listens on a free port of this machine until it is closed."""

    behaviour: Behaviour
    tls: ssl.SSLContext | None = None
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.closing = threading.Event()
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/file.txt"

    def _accept(self) -> None:
        self._listener.settimeout(0.05)
        while not self.closing.is_set():
            with contextlib.suppress(TimeoutError, OSError):
                connection, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(10)
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with contextlib.suppress(OSError), connection:
                head = b""
                while b"\r\n\r\n" not in head:
                    more = connection.recv(4096)
                    if not more:
                        return
                    head += more
                line, *rest = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
                fields = {name.lower(): value for name, _, value in (one.partition(": ") for one in rest)}
                request = Request(len(self.requests), line.split(" ")[1], fields, line)
                self.requests.append(request)
                self.behaviour(request, connection)

    def close(self) -> None:
        self.closing.set()
        self._accepting.join(5)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)


@contextlib.contextmanager
def serving(behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(behaviour, tls)
    try:
        yield server
    finally:
        server.close()


def answer(body: bytes, status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
    """A whole answer; `length` lies about the body's."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join((*lines, "", "")).encode() + body


def sends(data: bytes) -> Behaviour:
    """The same bytes to everybody."""
    return lambda _, connection: connection.sendall(data)


def redirects(target: str) -> Behaviour:
    return sends(answer(b"", "302 Found", Location=target))
