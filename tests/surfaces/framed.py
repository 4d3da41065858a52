"""FramedPeer: the other end of a server in legacy mode. Reads frames strictly, so that a stray byte is noticed."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.conftest import Shell
from tests.surfaces.stdio_client import Peer

MODES = ("sdk", "legacy")


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class FramedPeer(Peer):
    """A peer whose messages stand behind a header."""

    def wrap(self, data: bytes) -> bytes:
        return frame(data)

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            name, _, length = header.partition(b": ")
            if name != b"Content-Length" or not length.endswith(b"\r\n") or self.process.stdout.readline() != b"\r\n":
                self._lines.put(b"not a header: " + header)
                return
            self._lines.put(self.process.stdout.read(int(length)))
        self._lines.put(b"")


def start_peer(
    shell: Shell, mode: str, *words: str, program: str = "codecompass", cwd: Path | None = None, **env: str
) -> Peer:
    """A server in one of the modes; `program` may be the workbench, which has tools that obey."""
    kind = FramedPeer if mode == "legacy" else Peer
    command = [sys.executable, "-m", program, "serve-mcp", "--mcp-mode", mode, "--workspace", str(shell.cwd), *words]
    return kind(command, cwd or shell.cwd, shell.env | env)


@pytest.fixture
def bench(indexed: Shell, request: pytest.FixtureRequest) -> Callable[..., Peer]:
    """Starts servers with the workbench's tools, and sees to their end."""

    def start(mode: str, *words: str, version: str = "2025-06-18", **env: str) -> Peer:
        root = Path(__file__).parents[2]
        where = {"program": "tests.surfaces.workbench", "cwd": root}
        peer = start_peer(indexed, mode, "--no-prewarm", *words, **where, **env)  # type: ignore[arg-type]
        request.addfinalizer(peer.kill)
        peer.open(version)
        return peer

    return start
