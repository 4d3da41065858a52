"""A tool that grows a tree of processes: whatever ends the call or the server ends the tree."""

import sys
import time
from pathlib import Path

import pytest

from tests.repo.proctrees import eventually, grown, members, survivors
from tests.surfaces.conftest import Shell
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import all_gone, family_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def serve(shell: Shell, **env: str) -> Peer:
    command = [sys.executable, "-m", "tests.surfaces.workbench", "serve-mcp", "--no-prewarm"]
    root = Path(__file__).resolve().parents[2]
    peer = Peer(command, shell.cwd, shell.env | {"PYTHONPATH": str(root)} | env)
    peer.open()
    return peer


def ask(peer: Peer, request_id: int, kind: str, notes: Path) -> None:
    arguments = {"kind": kind, "notes": str(notes)}
    peer.request(request_id, "tools/call", {"name": "cleats_tree", "arguments": arguments})


def test_the_end_of_a_call_is_the_end_of_its_tree(indexed: Shell, tmp_path: Path) -> None:
    """PROC-STOP, PROC-TREE, PROC-GRACE: by itself, cancelled, out of time; the tree of another call is untouched."""
    peer = serve(indexed, CODECOMPASS_MCP_TOOL_TIMEOUTS="cleats_tree=6000", CODECOMPASS_PROCESS_GRACE_MS="300")
    try:
        ask(peer, 1, "left", tmp_path / "left")
        assert '"code":7' in str(peer.answer(1)["result"]["content"][0]["text"]).replace(" ", "")
        assert len(members(tmp_path / "left")) == 2 and survivors(tmp_path / "left") == []
        ask(peer, 2, "all", tmp_path / "cancelled")
        ask(peer, 3, "all", tmp_path / "expired")
        assert eventually(lambda: grown("all", tmp_path / "cancelled") and grown("all", tmp_path / "expired"), 5)
        peer.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 2}})
        assert "CANCELLED" in str(peer.answer(2))
        began = time.monotonic()
        assert eventually(lambda: not survivors(tmp_path / "cancelled"), 6)
        # The grace is the setting's, so the deaf ones are gone long before the default's two seconds and much slack.
        assert time.monotonic() - began < 6
        assert survivors(tmp_path / "expired") == members(tmp_path / "expired")
        assert "TOOL_TIMEOUT" in str(peer.answer(3))
        assert eventually(lambda: not survivors(tmp_path / "expired"), 10)
        assert peer.is_alive()
    finally:
        peer.kill()


@pytest.mark.parametrize("how", ["EOF", "SIGTERM", "SIGKILL"])
def test_the_end_of_a_server_is_the_end_of_its_trees(indexed: Shell, tmp_path: Path, how: str) -> None:
    """PROC-PARENT: not a process of it is left, wardens included."""
    peer = serve(indexed)
    try:
        ask(peer, 1, "all", tmp_path / "notes")
        assert eventually(lambda: grown("all", tmp_path / "notes"))
        family = family_of(peer.process.pid, "")
        assert len(family) > 6
        peer.end(how)
        assert eventually(lambda: not survivors(tmp_path / "notes"))
        all_gone({pid: began for pid, began in family.items() if began}, 20)
    finally:
        peer.kill()
