"""What only a reader of lines must know; what both readers share is in test_messages.py."""

import sys

import pytest

from tests.surfaces.casefile import check, load_cases
from tests.surfaces.conftest import Shell
from tests.surfaces.stdio_client import Peer

CASES = load_cases("lines")


@pytest.fixture(scope="module")
def shared(indexed: Shell, request: pytest.FixtureRequest) -> Peer:
    """One server for all lines: it must survive each of them anyway."""
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp"], indexed.cwd, indexed.env)
    request.addfinalizer(peer.kill)
    peer.open()
    return peer


@pytest.mark.parametrize("name", CASES)
def test_each_line_gets_its_answers(shared: Peer, name: str) -> None:
    """MCP-MALFORMED, MCP-NO-SWITCH: as the table says, and the next request works."""
    shared.send_raw(CASES[name].data)
    check(shared, CASES[name])


def test_an_endless_line_costs_no_memory(shared: Peer) -> None:
    """MCP-MALFORMED, MCP-MEMORY: A13: a line that does not end is answered once, while it still comes."""
    for _ in range(20):
        shared.send_raw(b"x" * 4 * 1024 * 1024)
    assert shared.read()["error"]["code"] == -32700
    if sys.platform == "linux":
        with open(f"/proc/{shared.process.pid}/status") as status:
            peak = next(int(row.split()[1]) for row in status if row.startswith("VmHWM"))
        assert peak < 400 * 1024, f"{peak} KiB"
    shared.send_raw(b"\n")
    assert shared.is_alive()
