"""Independent clients: both TypeScript SDKs and the Python one, over stdio and over HTTP, in every era they speak."""

import asyncio
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from codecompass.tools import TOOLS
from tests.proof.node import Programs
from tests.proof.servers import WORKBENCH, Place, http

pytestmark = pytest.mark.timeout(600)
PROTOCOLS = {"v1": "2025-11-25", "v2-handshake": "2025-11-25", "v2-stateless": "2026-07-28"}
MANY = 200
TOOL = "cleats_work"
ROOM = {"CODECOMPASS_MCP_QUEUE_MAX": "256"}
"""200 calls at once are to be answered here, not refused; the refusals have a test of their own."""


@pytest.fixture(scope="module")
def roomy(place: Place) -> Place:
    return Place(place.repo, place.env | ROOM)


@pytest.fixture(scope="module")
def url(roomy: Place) -> Iterator[str]:
    with http(roomy, WORKBENCH) as address:
        yield address


def stopped(trace: Path, seconds: float = 20.0) -> bool:
    """Whether the work that wrote this file noticed that nobody waits for it any more."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if trace.exists() and trace.read_text().startswith("stopped"):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("client", PROTOCOLS)
def test_typescript_clients(
    quick: Programs, roomy: Place, url: str, tmp_path: Path, client: str, transport: str
) -> None:
    """P-CLIENTS: connect, list, call, progress, cancel, time-out, 200 calls at once, and the server is still there."""
    target = roomy.stdio(WORKBENCH) if transport == "stdio" else {"url": url}
    trace = tmp_path / "work"
    command = [*quick.command("client.mjs"), client, json.dumps(target), str(trace)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    facts = json.loads(done.stdout)
    assert facts["protocol"] in (PROTOCOLS[client], None)
    assert facts["tools"][: len(TOOLS)] == [tool.name for tool in TOOLS]
    assert facts["call"]["result"]["echo"] == "grüße 🧭" and facts["call"]["isError"] is False
    assert facts["refused"]["code"] == -32602
    _check_progress(facts["events"], facts["progressed"])
    assert "error" in facts["cancelled"] and facts["cancelled"]["ms"] < 20_000
    assert "error" in facts["expired"] and facts["expired"]["ms"] < 20_000
    assert stopped(tmp_path / "work.cancel") and stopped(tmp_path / "work.expire")
    assert facts["many"]["right"] == MANY, facts["odd"]
    assert facts["after"]["result"]["echo"] == "still here"


def _check_progress(events: list[dict[str, Any]], ended: dict[str, Any]) -> None:
    numbers = [event["progress"] for event in events]
    assert len(numbers) >= 2 and numbers == sorted(set(numbers))
    assert events[-1]["total"] == 60 and numbers[-1] >= 30
    assert ended["result"]["reports"] == 60


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_python_client(roomy: Place, url: str, tmp_path: Path, mode: str, transport: str) -> None:
    """P-CLIENTS: the same with the Python client, by handshake and without."""
    launch = roomy.stdio(WORKBENCH)
    target = url if transport == "http" else StdioServerParameters.model_validate(launch)
    asyncio.run(_with_python(Client(target, mode=mode), mode, tmp_path))


async def _with_python(client: Client, mode: str, tmp_path: Path) -> None:
    async with client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools][: len(TOOLS)] == [tool.name for tool in TOOLS]
        with pytest.raises(MCPError):
            await client.call_tool(TOOL, {"nonsense": 1})
        await _python_progress(client)
        call = asyncio.create_task(client.call_tool(TOOL, {"seconds": 60, "trace": str(tmp_path / "cancel")}))
        while not (tmp_path / "cancel").exists():
            await asyncio.sleep(0.02)
        call.cancel()
        with pytest.raises(MCPError):
            await client.call_tool(TOOL, {"seconds": 60, "trace": str(tmp_path / "expire")}, read_timeout_seconds=2)
        assert await anyio.to_thread.run_sync(stopped, tmp_path / "cancel")
        assert await anyio.to_thread.run_sync(stopped, tmp_path / "expire")
        many = await asyncio.gather(*(client.call_tool(TOOL, {"echo": f"n{n}"}) for n in range(MANY)))
        assert [answer.structured_content["echo"] for answer in many if answer.structured_content] == [
            f"n{n}" for n in range(MANY)
        ]


async def _python_progress(client: Client) -> None:
    events: list[dict[str, Any]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        events.append({"progress": progress, "total": total, "message": message})

    ended = await client.call_tool(TOOL, {"seconds": 1.2, "reports": 60}, progress_callback=heard)
    _check_progress(events, {"result": ended.structured_content})
    # Only here: the TypeScript client drops a listener with the answer, before it has passed on what came just before.
    assert events[-1]["message"] == "step 60"
