"""Peer: the other end of a stdio server, speaking in raw lines, with a deadline on everything."""

import json
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

PATIENCE_S = 60.0


class Peer:
    """One server process and what it has written so far."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.seen: list[bytes] = []
        self.errors = b""
        for target in (self._read_out, self._read_err):
            threading.Thread(target=target, daemon=True).start()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def wrap(self, data: bytes) -> bytes:
        """One message, whatever its bytes, in the framing that this end speaks."""
        return data + b"\n"

    def put(self, data: bytes) -> None:
        self.send_raw(self.wrap(data))

    def send(self, message: object) -> None:
        self.put(json.dumps(message).encode())

    def request(self, request_id: object, method: str, params: dict[str, Any] | None = None) -> None:
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method} | ({"params": params} if params else {}))

    def read_value(self, seconds: float = PATIENCE_S) -> Any:  # noqa: ANN401 - any JSON value
        """The next thing that the server wrote, be it a message or a list of them."""
        line = self._lines.get(timeout=seconds)
        assert line, f"the server closed its output: {self.errors.decode()}"
        self.seen.append(line)
        return json.loads(line)

    def read(self, seconds: float = PATIENCE_S) -> dict[str, Any]:
        """The next message; every line the server writes must be one."""
        message = self.read_value(seconds)
        assert message["jsonrpc"] == "2.0"
        return dict(message)

    def answer(self, request_id: object, seconds: float = PATIENCE_S) -> dict[str, Any]:
        """The answer to one request, passing over the others."""
        until = time.monotonic() + seconds
        while True:
            message = self.read(max(0.01, until - time.monotonic()))
            if message.get("id") == request_id and type(message.get("id")) is type(request_id):
                return message

    def is_silent(self, seconds: float = 0.3) -> bool:
        try:
            self.seen.append(self._lines.get(timeout=seconds))
        except queue.Empty:
            return True
        return False

    def ask(self, request_id: object, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.request(request_id, method, params)
        return self.answer(request_id)

    def call(self, request_id: object, tool: str, **arguments: object) -> dict[str, Any]:
        return self.ask(request_id, "tools/call", {"name": tool, "arguments": arguments})

    def open(self, version: object = "2025-06-18", seconds: float = PATIENCE_S) -> dict[str, Any]:
        client = {"name": "test", "version": "1"}
        self.request("open", "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        answer = self.answer("open", seconds)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def is_alive(self) -> bool:
        """Whether it still answers: the proof that whatever came before did no harm."""
        answer = self.ask(f"alive-{len(self.seen)}", "ping")
        return bool(answer["result"] == {})

    def end(self, how: str, seconds: float = PATIENCE_S) -> tuple[int, float]:
        """End the server by EOF or a signal; its exit code and how long it took."""
        began = time.monotonic()
        assert self.process.stdin is not None
        if how == "EOF":
            self.process.stdin.close()
        else:
            self.process.send_signal(getattr(signal, how))
        code = self.process.wait(seconds)
        return code, time.monotonic() - began

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(5)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                assert pipe is not None
                pipe.close()
            except BrokenPipeError:
                continue
