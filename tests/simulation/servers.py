"""Servers and commands as real processes beside the engines of this one."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import codecompass
from codecompass.errors import CODES
from tests.simulation.dispatch_client import Told
from tests.surfaces.stdio_client import Peer

PATIENCE_S = 90.0
_BY_WORD = {word: code.name for code in reversed(CODES) for word in (code.compass, code.cleats)}


class ServerSeat:
    """A server over stdio, asked as an agent asks it."""

    def __init__(self, name: str, root: Path, environment: dict[str, str]) -> None:
        self.name = name
        argv = [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(root)]
        argv += ["--allowed-root", str(root.parent)]
        self._peer = Peer(argv, root, environment)
        self._peer.open(seconds=PATIENCE_S)
        self._count = 0

    def ask(self, tool: str, **arguments: object) -> Told:
        until = time.monotonic() + PATIENCE_S
        while True:
            told = self._ask(tool, arguments)
            if told.code != "RATE_LIMITED" or time.monotonic() > until:
                return told
            time.sleep(0.5)

    def _ask(self, tool: str, arguments: dict[str, object]) -> Told:
        self._count += 1
        self._peer.request(self._count, "tools/call", {"name": tool, "arguments": arguments})
        answer = self._peer.answer(self._count, PATIENCE_S)
        if "error" in answer:
            return Told(answer["error"], "PROTOCOL")
        result = answer["result"]
        payload: dict[str, Any] = result.get("structuredContent") or {}
        return Told(payload, _code(payload) if result.get("isError") else "")

    def stop(self) -> None:
        self._peer.end("EOF", PATIENCE_S)
        self._peer.kill()

    def kill(self) -> None:
        self._peer.kill()


def _code(payload: dict[str, Any]) -> str:
    """The row of the error table that an answer means, whatever its family calls it."""
    error = payload.get("error")
    word = error.get("code") if isinstance(error, dict) else payload.get("code")
    if isinstance(word, str) and word in _BY_WORD:
        return _BY_WORD[word]
    said = str(error)
    return "NO_INDEX" if "published yet" in said or "not been indexed" in said else "INTERNAL"


def environment_of(base: Path, data: Path, *, vectors: bool) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CODECOMPASS_", "XDG_", "PYTHON"))}
    return kept | {
        "PYTHONPATH": str(Path(codecompass.__file__).parents[1]),
        "HOME": str(base), "NO_COLOR": "1", "CODECOMPASS_STORAGE_DATA_DIR": str(data),
        "CODECOMPASS_INDEX_WORKERS": "1", "CODECOMPASS_EMBED_MODEL": "bundled" if vectors else "none",
    }  # fmt: skip


def run_command(root: Path, environment: dict[str, str], *words: str, kill_after: float = 0.0) -> int:
    """The exit code of a command; one that is killed gives minus nine."""
    argv = [sys.executable, "-m", "codecompass", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=root, env=environment, stdout=pipe, stderr=pipe) as process:
        try:
            process.communicate(timeout=kill_after or PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        return process.returncode


def pause(rng: random.Random) -> float:
    """A moment of a command's life, early ones as likely as late ones."""
    return float(0.05 * 60 ** rng.random())
