"""StdioClient: a client of `serve-mcp` in raw JSON lines, which adds nothing to the time it measures."""

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import ours
from bench.measure import Tree

PATIENCE_S = 60.0


class StdioClient:
    """One server process. Answers come in the order they were asked for, because one is asked at a time."""

    def __init__(self, repo: Path, data: Path, *words: str) -> None:
        self._process = subprocess.Popen(
            (*ours.COMMAND, "serve-mcp", "--workspace", str(repo), *words),
            cwd=repo, env=ours.environment(data.parent, data),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._tree = Tree(self._process.pid)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """One request and its result."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        until = time.monotonic() + PATIENCE_S
        while True:
            line = self._lines.get(timeout=max(0.01, until - time.monotonic()))
            if not line:
                raise SystemExit("The server closed its output.")
            message = json.loads(line)
            if message.get("id") == self._last:
                return dict(message.get("result") or {"isError": True, "error": message.get("error")})

    def initialize(self) -> None:
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """A tool's payload, or the error it answered with."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            return {"error": result}
        return dict(result["structuredContent"])

    def resident_bytes(self) -> int:
        """Memory of the server and its children now."""
        return self._tree.sample()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._tree.sample()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.kill(self._process.pid, 9)
            self._process.wait(5)
        self._tree.end()


@contextmanager
def connected(repo: Path, data: Path, *words: str) -> Iterator[StdioClient]:
    """A server that is up and initialised."""
    client = StdioClient(repo, data, *words)
    try:
        client.initialize()
        yield client
    finally:
        client.close()
