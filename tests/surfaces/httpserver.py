"""A real HTTP server in a process of its own, and raw sockets to talk to it."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from tests.surfaces.conftest import Shell

PATIENCE_S = 20.0
MODERN = "2026-07-28"
ACCEPT = {"accept": "application/json, text/event-stream"}
META = {"schemaVersion", "toolingVersion", "ts", "requestId", "durationMs"}
"""What every envelope of the API says about itself."""


class HttpServer:
    """One `serve-http`, from its start to its end."""

    def __init__(self, shell: Shell, *words: str, prefix: tuple[str, ...] = (), **env: str) -> None:
        root = str(Path(__file__).parents[2])
        command = [*prefix, sys.executable, "-m", "tests.surfaces.workbench", "serve-http", "--json", "--no-prewarm"]
        if "--port" not in words:
            command += ["--port", "0"]
        self.process = subprocess.Popen(
            [*command, *words], cwd=shell.cwd, env=shell.env | {"PYTHONPATH": root} | env,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.errors = ""
        self._reading = threading.Thread(target=self._read_errors, daemon=True)
        self._reading.start()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the server did not start: {self.errors}"
        said = json.loads(line)
        self.url = str(said["url"])
        self.token = Path(said["tokenFile"]).read_text().strip() if "tokenFile" in said else ""
        """What lets a client do more than read, where no other token was given."""
        split = urlsplit(self.url)
        self.host, self.port = str(split.hostname), int(split.port or 0)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line

    def end(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        """Send a signal; the exit code and how long it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        return code, time.monotonic() - began

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(5)
        self._reading.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def socket(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=PATIENCE_S)

    def raw(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send bytes as they are; status, headers and body of the answer."""
        with self.socket() as sock:
            sock.sendall(request.replace(b"@HOST@", f"{self.host}:{self.port}".encode()))
            return read_answer(sock)

    @property
    def auth(self) -> dict[str, str]:
        """The header of a client that may do more than read."""
        return {"authorization": f"Bearer {self.token}"} if self.token else {}

    def is_alive(self) -> bool:
        return httpx2.get(f"{self.url}/health").status_code == 200


def read_answer(sock: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """One response with a length, or up to the end of the connection."""
    file = sock.makefile("rb")
    with file:
        status = file.readline()
        assert status.startswith(b"HTTP/1.1 "), status
        headers: dict[str, str] = {}
        while (line := file.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            headers[name.decode().lower()] = value.strip().decode()
        length = headers.get("content-length")
        return int(status.split()[1]), headers, file.read(int(length)) if length is not None else file.read()


@contextmanager
def serving(shell: Shell, *words: str, prefix: tuple[str, ...] = (), **env: str) -> Iterator[HttpServer]:
    server = HttpServer(shell, *words, prefix=prefix, **env)
    try:
        yield server
    finally:
        server.close()


@dataclass
class Wire:
    """An MCP client of the handshake revisions that shows what is on the wire."""

    server: HttpServer
    version: str = "2025-11-25"
    session: str = ""
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=PATIENCE_S))

    @property
    def headers(self) -> dict[str, str]:
        known = {"mcp-session-id": self.session, "mcp-protocol-version": self.version} if self.session else {}
        return ACCEPT | self.server.auth | known

    @property
    def url(self) -> str:
        return f"{self.server.url}/mcp"

    def post(self, message: object, **headers: str) -> httpx2.Response:
        return self.http.post(self.url, json=message, headers=self.headers | headers)

    def ask(self, request_id: object, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """One request; its answer, whatever came before it."""
        response = self.post(request(request_id, method, params))
        return messages(response)[-1]

    def call(self, request_id: object, tool: str, **arguments: object) -> dict[str, Any]:
        return self.ask(request_id, "tools/call", {"name": tool, "arguments": arguments})

    def tell(self, method: str, params: dict[str, Any] | None = None) -> int:
        note = {"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {})
        return self.post(note).status_code

    def open(self) -> dict[str, Any]:
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": self.version, "capabilities": {}, "clientInfo": client}
        response = self.post(request("open", "initialize", params))
        self.session = response.headers.get("mcp-session-id", "")
        answer = messages(response)[-1]
        assert self.tell("notifications/initialized") == 202
        return answer

    def close(self) -> None:
        if self.session:
            self.http.delete(self.url, headers=self.headers)
        self.http.close()


@contextmanager
def session(server: HttpServer, version: str = "2025-11-25") -> Iterator[Wire]:
    wire = Wire(server, version)
    try:
        wire.open()
        yield wire
    finally:
        wire.close()


def request(request_id: object, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method} | ({"params": params} if params else {})


def messages(response: httpx2.Response) -> list[dict[str, Any]]:
    """Every message of a response, as JSON or as a stream of events."""
    if response.headers["content-type"].startswith("application/json"):
        return [response.json()]
    return [json.loads(data) for _, data in events(response.text) if data]


def events(text: str) -> list[tuple[str, str]]:
    """Id and data of each event of a stream."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":")]
        fields = {parts[0].rstrip(":"): parts[1] if len(parts) > 1 else "" for parts in lines}
        if fields:
            found.append((fields.get("id", ""), fields.get("data", "")))
    return found


def modern(request_id: object, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """A request of the revision without a handshake."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    given = dict(params or {})
    return request(request_id, method, given | {"_meta": meta | given.get("_meta", {})})


def modern_headers(method: str, name: str = "") -> dict[str, str]:
    return ACCEPT | {"mcp-protocol-version": MODERN, "mcp-method": method} | ({"mcp-name": name} if name else {})
