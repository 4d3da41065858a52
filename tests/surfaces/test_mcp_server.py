"""The stdio server as a client sees it: handshake, results, life and death."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from codecompass.contract.versions import SCHEMA_VERSION
from tests.surfaces.conftest import Shell
from tests.surfaces.stdio_client import Peer

Connect = Callable[..., Peer]
COMMITTED = Path(__file__).parents[2] / "docs" / "contracts" / "mcp-tools.schema.json"
NAMES = [tool["name"] for tool in json.loads(COMMITTED.read_text(encoding="utf-8"))["tools"]]
"""The order that is committed to."""

SLOW_START = """
import sys, time, threading
from codecompass.engine.services.search_service import SearchService

began = threading.Event()

def slow(self, workspace, query, call):
    print("a stray print", flush=True)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if query.text != "hang":
            call.check()
        time.sleep(0.01)

SearchService.search = slow
from codecompass.__main__ import main
main()
"""


@pytest.fixture
def slow(indexed: Shell, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Peer]:
    """Servers whose search never ends by itself, and which print where they must not."""
    script = tmp_path / "slow.py"
    script.write_text(SLOW_START)

    def start(**env: str) -> Peer:
        peer = Peer([sys.executable, str(script), "serve-mcp", "--no-prewarm"], indexed.cwd, indexed.env | env)
        request.addfinalizer(peer.kill)
        peer.open()
        return peer

    return start


def test_the_official_client_works(indexed: Shell) -> None:
    """MCP-RESULT, MCP-CAPABILITIES, C-TOOLS-ORDER: list and call through the SDK's own client, at both eras."""

    async def talk(mode: str) -> None:
        params = StdioServerParameters(
            command=sys.executable, args=["-m", "codecompass", "serve-mcp"], env=indexed.env, cwd=indexed.cwd
        )
        async with Client(params, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
            result = await client.call_tool("locate_symbol", {"name": "validate_token"})
            assert not result.is_error and result.structured_content is not None
            assert result.structured_content["results"][0]["path"] == "src/auth.py"

    for mode in ("legacy", "auto"):
        anyio.run(talk, mode)


def test_capabilities(connect: Connect) -> None:
    """MCP-CAPABILITIES, C-VERSIONS: the capability block, closed lists, our name."""
    result = connect(opened=False).open()["result"]
    assert result["serverInfo"]["name"] == "codecompass"
    assert result["capabilities"]["tools"] == {"listChanged": False}
    block = result["capabilities"]["experimental"]["pairofcleats"]
    assert block["schemaVersion"] == SCHEMA_VERSION and block["toolVersion"] == result["serverInfo"]["version"]
    assert block["capabilities"]["mcp"]["sdk"] is True


def test_every_tool_carries_its_version(connect: Connect) -> None:
    """C-VERSIONS: in _meta, and beside the name although the SDK strips it."""
    for tool in connect().ask(1, "tools/list")["result"]["tools"]:
        assert tool["_meta"].items() >= {"schemaVersion": 1, "toolingVersion": tool["toolingVersion"]}.items()
        assert tool["schemaVersion"] == 1 and tool["inputSchema"]["additionalProperties"] is False


def test_toolsets(connect: Connect) -> None:
    """C-TOOLSETS: only the named subset is listed and callable."""
    peer = connect("--toolset", "admin")
    listed = [tool["name"] for tool in peer.ask(1, "tools/list")["result"]["tools"]]
    assert {"health_check", "cancel_job"} <= set(listed) < set(NAMES)
    assert listed == [name for name in NAMES if name in listed], "in the order of the whole list"
    assert peer.call(2, "search_code", query="x")["error"]["data"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(("version", "structured"), [("2024-11-05", False), ("2025-06-18", True)])
def test_results(connect: Connect, version: str, structured: bool) -> None:
    """MCP-RESULT: compact text, the same object as structuredContent for clients that know it."""
    peer = connect(opened=False)
    peer.open(version)
    result = peer.call(1, "search_code", query="rate limit")["result"]
    text = result["content"][0]["text"]
    payload = json.loads(text)
    assert text == json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
    assert result["isError"] is False and result["content"][0]["type"] == "text"
    assert ("structuredContent" in result) == structured
    assert not structured or result["structuredContent"] == payload


def test_nulls_survive_in_structured_content(connect: Connect) -> None:
    """MCP-RESULT, C-OMIT-ABSENT: where a document shows null there is null, in both forms."""
    result = connect().call(1, "index_status")["result"]
    assert result["structuredContent"]["active_job"] is None
    assert '"active_job":null' in result["content"][0]["text"]


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("locate_symbol", {"name": "validate_token"}),
    ("search_code", {"query": "rate limit"}),
    ("index_status", {}),
    ("get_file_outline", {"path": "src/auth.py"}),
    ("get_file_outline", {"path": "no/such.py"}),
    ("health_check", {}),
    ("search_code", {"query": "x", "workspace": "/nowhere"}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[f"{tool}-{n}" for n, (tool, _) in enumerate(CALLS)])
def test_every_answer_has_the_six_fields(connect: Connect, tool: str, arguments: dict[str, Any]) -> None:
    """C-META-SIX: successes and failures of the real engine."""
    meta = connect().call(1, tool, **arguments)["result"]["structuredContent"]["metadata"]
    assert set(meta) >= {
        "codecompass_protocol_version", "freshness_status", "indexing_status", "result_completeness", "ref",
        "schema_status",
    }  # fmt: skip
    assert meta["codecompass_protocol_version"] == "1.0"


def test_no_path_outside_the_workspace_is_told(connect: Connect) -> None:
    """C-NO-LEAK: an error about a foreign workspace does not describe it."""
    answer = connect().call(1, "index_status", workspace="/etc")["result"]
    assert answer["isError"] and "Traceback" not in answer["content"][0]["text"]


def test_a_job_from_start_to_end(connect: Connect, fresh: Shell) -> None:
    """C-PAYLOAD-003, C-NEVER-SILENT: not indexed → index_repo → index_status until published → results."""
    assert fresh.run("init").returncode == 0
    peer = connect(shell=fresh)
    empty = peer.call(1, "search_code", query="rate limit")["result"]["structuredContent"]
    assert empty["results"] == [] and empty["metadata"]["indexing_status"] == "not_indexed"
    assert empty["suggested_next_actions"][0]["tool"] == "index_repo"
    job = peer.call(2, "index_repo")["result"]["structuredContent"]
    assert job["file_count"] is None and job["mode"] == "full"
    for n in range(300):
        status = peer.call(f"s{n}", "index_status")["result"]["structuredContent"]
        if status["active_job"] is None and status["index_status"] == "ready":
            break
        anyio.run(anyio.sleep, 0.1)
    assert status["recent_jobs"][0]["status"] == "published"
    found = peer.call(3, "search_code", query="rate limit")["result"]["structuredContent"]
    assert found["results"][0]["name"] == "rate_limit"


@pytest.mark.parametrize("how", ["EOF", "SIGTERM", "SIGINT"])
def test_it_ends_cleanly(connect: Connect, how: str) -> None:
    """MCP-EXIT: code 0 within two seconds, nothing on stderr."""
    peer = connect()
    peer.call(1, "index_status")
    code, seconds = peer.end(how)
    assert code == 0 and seconds < 2
    assert peer.errors == b""


@pytest.mark.parametrize("how", ["EOF", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("query", ["polite", "hang"])
def test_it_ends_while_a_tool_runs(slow: Callable[..., Peer], how: str, query: str) -> None:
    """MCP-EXIT: even a tool that never looks up cannot hold the process."""
    peer = slow()
    peer.request(1, "tools/call", {"name": "search_code", "arguments": {"query": query}})
    assert peer.is_alive()
    code, seconds = peer.end(how)
    assert code == 0 and seconds < 2.5


def test_requests_before_eof_are_answered(connect: Connect) -> None:
    """MCP-EXIT: a client that writes and closes still gets its answers."""
    peer = connect()
    peer.request(7, "tools/call", {"name": "search_code", "arguments": {"query": "rate limit"}})
    assert peer.process.stdin is not None
    peer.process.stdin.close()
    assert peer.answer(7)["result"]["isError"] is False
    assert peer.process.wait(5) == 0


def test_it_ends_quietly_when_nobody_reads(indexed: Shell) -> None:
    """MCP-EXIT: EPIPE is an end like any other."""
    ours, theirs = os.pipe()
    command = [sys.executable, "-m", "codecompass", "serve-mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=indexed.cwd, env=indexed.env, stdin=pipe, stdout=theirs, stderr=pipe) as server:
        os.close(theirs)
        os.close(ours)
        assert server.stdin is not None and server.stderr is not None
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        server.stdin.flush()
        assert server.wait(20) == 0
        assert server.stderr.read() == b""


def test_ping_is_answered_while_tools_run(slow: Callable[..., Peer]) -> None:
    """MCP-PING-WHILE-BUSY, MCP-STDOUT-PURE: with every worker busy, and with tools that print."""
    peer = slow()
    for n in range(10):
        peer.request(n, "tools/call", {"name": "search_code", "arguments": {"query": "hang"}})
    assert peer.ask("p", "ping")["result"] == {}
    assert [tool["name"] for tool in peer.ask("l", "tools/list")["result"]["tools"]] == NAMES
    anyio.run(anyio.sleep, 0.2)
    assert b"a stray print" in peer.errors
    assert all(b"stray" not in seen for seen in peer.seen)


def test_cancelling(slow: Callable[..., Peer]) -> None:
    """MCP-CANCEL: $/cancelRequest gives one CANCELLED answer, notifications/cancelled none."""
    peer = slow()
    for n in (1, 2):
        peer.request(n, "tools/call", {"name": "search_code", "arguments": {"query": "hang"}})
    assert peer.is_alive()
    peer.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "1"}})
    assert peer.answer(1)["result"]["structuredContent"]["error"]["code"] == "cancelled"
    peer.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    assert peer.is_silent(0.5)
    for method, key in (("$/cancelRequest", "id"), ("notifications/cancelled", "requestId")):
        peer.send({"jsonrpc": "2.0", "method": method, "params": {key: 99}})
    assert peer.ask(2, "ping")["result"] == {}, "the id of a cancelled request is free again"


def test_an_id_in_use_is_refused(slow: Callable[..., Peer]) -> None:
    """MCP-ENVELOPE: C08, C09: a second request with the same id, number or text, while the first still runs."""
    peer = slow()
    peer.request(1, "tools/call", {"name": "search_code", "arguments": {"query": "polite"}})
    assert peer.ask(1, "ping")["error"]["code"] == -32600
    assert peer.ask("1", "ping")["error"]["code"] == -32600
    peer.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
    assert peer.answer(1)["result"]["isError"] is True
    assert peer.ask(1, "ping")["result"] == {}


def test_the_queue_is_bounded(slow: Callable[..., Peer]) -> None:
    """R-QUEUE: -32001 with the size of the queue, over the wire."""
    peer = slow(CODECOMPASS_MCP_QUEUE_MAX="2")
    for n in range(3):
        peer.request(n, "tools/call", {"name": "search_code", "arguments": {"query": "polite"}})
    error = peer.answer(2)["error"]
    assert error["code"] == -32001 and error["data"]["code"] == "QUEUE_OVERLOADED"
    assert error["data"]["details"] == {"queue": {"max": 2, "size": 2}}


@pytest.mark.parametrize("query", ["polite", "hang"])
def test_a_slow_tool_times_out(slow: Callable[..., Peer], query: str) -> None:
    """R-TIMEOUT: with timeoutMs, over the wire."""
    answer = slow(CODECOMPASS_MCP_TOOL_TIMEOUT_MS="200").call(1, "search_code", query=query)["result"]
    assert answer["isError"] and answer["structuredContent"]["error"]["code"] == "timeout"
    assert answer["structuredContent"]["error"]["data"]["timeoutMs"] == 200


def test_a_missing_sdk_is_said_in_one_line(indexed: Shell, tmp_path: Path) -> None:
    """MCP-NO-SDK: exit 3."""
    script = tmp_path / "without.py"
    script.write_text("import sys\nsys.modules['mcp_types'] = None\nfrom codecompass.__main__ import main\nmain()\n")
    command = [sys.executable, str(script), "serve-mcp"]
    where, env = indexed.cwd, indexed.env
    done = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, input="", check=False)
    assert done.returncode == 3 and done.stdout == ""
    assert done.stderr.startswith("error: serve-mcp needs the package 'mcp_types'") and done.stderr.count("\n") == 1


def test_a_closed_stderr_does_no_harm(indexed: Shell) -> None:
    """MCP-STDOUT-PURE: descriptors that were closed at the start are not reused for the protocol."""
    command = f"exec '{sys.executable}' -m codecompass -vv serve-mcp 2>&-"
    peer = Peer(["sh", "-c", command], indexed.cwd, indexed.env)
    try:
        peer.open()
        assert peer.call(1, "index_status")["result"]["isError"] is False
        assert peer.end("EOF")[0] == 0
    finally:
        peer.kill()
