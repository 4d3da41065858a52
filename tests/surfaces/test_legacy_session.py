"""A session in legacy mode beside one in SDK mode: the same tools, the same answers, and what differs by contract."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import Shell
from tests.surfaces.framed import MODES, FramedPeer, bench, start_peer
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import until

__all__ = ("bench",)

Bench = Callable[..., Peer]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pair(indexed: Shell) -> Iterator[dict[str, Peer]]:
    """The same program in both modes."""
    peers = {mode: start_peer(indexed, mode, program="tests.surfaces.workbench", cwd=ROOT) for mode in MODES}
    for peer in peers.values():
        peer.open()
    yield peers
    for peer in peers.values():
        peer.kill()


def test_the_introduction_is_the_same(indexed: Shell, request: pytest.FixtureRequest) -> None:
    """LEGACY-PARITY, MCP-CAPABILITIES: initialize in both modes, to the last field; both modes are announced."""
    answers = []
    for mode in MODES:
        peer = start_peer(indexed, mode, "--no-prewarm")
        request.addfinalizer(peer.kill)
        answers.append(peer.open("2024-11-05"))
    assert answers[0] == answers[1]
    block = answers[0]["result"]["capabilities"]["experimental"]["pairofcleats"]
    assert block["capabilities"]["mcp"] == {"sdk": True, "legacy": True}


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("ping", {}),
    ("tools/list", {}),
    ("tools/list", {"cursor": "x"}),
    ("tools/call", {"name": "search_code", "arguments": {"query": "rate limit"}}),
    ("tools/call", {"name": "locate_symbol", "arguments": {"name": "validate_token"}}),
    ("tools/call", {"name": "get_file_outline", "arguments": {"path": "src/auth.py"}}),
    ("tools/call", {"name": "get_file_outline", "arguments": {"path": "no/such.py"}}),
    ("tools/call", {"name": "search_code", "arguments": {"bogus": 1}}),
    ("tools/call", {"name": "cleats_work", "arguments": {"bogus": 1}}),
    ("tools/call", {"name": "cleats_work", "arguments": {"echo": "caf\u00e9 \u2028 \U0001f600"}}),
    ("tools/call", {"name": "context_work", "arguments": {"crash": True}}),
    ("tools/call", {"name": "cleats_work", "arguments": {"crash": True}}),
    ("tools/call", {"name": "compass_work"}),
    ("tools/call", {"name": "nope"}),
]


@pytest.mark.parametrize(("method", "params"), REQUESTS, ids=[f"{n}" for n in range(len(REQUESTS))])
def test_answers_are_the_same(pair: dict[str, Peer], method: str, params: dict[str, Any]) -> None:
    """LEGACY-PARITY: every answer, success or error, of every family; the text byte for byte."""
    lines, frames = (pair[mode].ask("same", method, params) for mode in MODES)
    for answer in (lines, frames):
        for field in ("query_time_ms", "took_ms", "duration_ms"):
            assert field not in json.dumps(answer), "a field that differs by nature would make this test blind"
    assert frames == lines
    if "result" in lines and "content" in lines["result"]:
        assert frames["result"]["content"][0]["text"] == lines["result"]["content"][0]["text"]


def test_structured_content_follows_the_revision(bench: Bench) -> None:
    """LEGACY-PARITY, MCP-RESULT: clients of older revisions get the text alone."""
    result = bench("legacy", version="2024-11-05").call(1, "cleats_work", echo="x")["result"]
    assert result == {"content": [{"type": "text", "text": '{"ok":true,"echo":"x","reports":0}'}], "isError": False}


def test_progress_comes_without_a_token(pair: dict[str, Peer]) -> None:
    """LEGACY-PROGRESS: the six fields and no more, rarely, the last step among them, and none after the answer."""
    peer = pair["legacy"]
    peer.request("work", "tools/call", {"name": "cleats_work", "arguments": {"seconds": 0.8, "reports": 200}})
    seen = []
    while "id" not in (message := peer.read()):
        assert message["method"] == "notifications/progress"
        assert list(message["params"]) == ["id", "tool", "message", "stream", "phase", "ts"]
        assert message["params"]["id"] == "work" and message["params"]["tool"] == "cleats_work"
        seen.append(message["params"]["message"])
    assert message["result"]["isError"] is False
    assert 2 <= len(seen) <= 6 and seen[-1] == "step 200"
    assert peer.is_silent(0.4)


def start_call(peer: Peer, request_id: object, trace: Path, **arguments: object) -> None:
    """A call that is known to be at work when this returns."""
    arguments = {"seconds": 60, "trace": str(trace)} | arguments
    peer.request(request_id, "tools/call", {"name": "cleats_work", "arguments": arguments})
    until(lambda: trace.exists(), bool)


@pytest.mark.parametrize("mode", MODES)
def test_cancelling(pair: dict[str, Peer], mode: str, tmp_path: Path) -> None:
    """LEGACY-CANCEL, MCP-CANCEL: one CANCELLED answer, or none by the protocol's own word; 1 and "1" are one."""
    peer = pair[mode]
    start_call(peer, 1, tmp_path / "a")
    for _ in range(2):
        peer.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "1"}})
    answer = peer.answer(1)
    assert answer["result"]["isError"] and answer["result"]["structuredContent"]["code"] == "CANCELLED"
    start_call(peer, "2", tmp_path / "b", deaf=True)
    for _ in range(2):
        peer.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    assert peer.is_silent(0.4)
    assert peer.ask("2", "ping")["result"] == {}, "the id is free again"
    assert peer.ask(1, "ping")["result"] == {}
    until(lambda: (tmp_path / "a").read_text().split()[0], lambda word: word == "stopped")


def test_an_id_in_use_is_refused(pair: dict[str, Peer], tmp_path: Path) -> None:
    """LEGACY-CANCEL, MCP-ENVELOPE: C08, C09: number or text, while the first still runs."""
    peer = pair["legacy"]
    start_call(peer, 1, tmp_path / "a")
    assert peer.ask(1, "ping")["error"]["code"] == -32600
    assert peer.ask("1", "ping")["error"]["code"] == -32600
    peer.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
    assert peer.answer(1)["result"]["isError"] is True


def test_control_messages_never_wait(bench: Bench) -> None:
    """LEGACY-CONTROL, MCP-PING-WHILE-BUSY: with every worker busy and the queue full."""
    peer = bench("legacy", CODECOMPASS_MCP_QUEUE_MAX="6")
    for n in range(7):
        peer.request(n, "tools/call", {"name": "cleats_work", "arguments": {"seconds": 60}})
    assert peer.answer(6)["error"]["data"]["code"] == "QUEUE_OVERLOADED"
    assert peer.ask("p", "ping")["result"] == {}
    assert peer.ask("l", "tools/list")["result"]["tools"]
    for n in range(6):
        peer.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": n}})
    assert {peer.read()["id"] for _ in range(6)} == set(range(6)), "queued calls are cancelled as running ones are"


def test_shutdown_and_exit(bench: Bench) -> None:
    """LEGACY-EXIT: the goodbye of language clients: an answer, refusals, and the end."""
    peer = bench("legacy")
    assert peer.ask(1, "shutdown") == {"jsonrpc": "2.0", "id": 1, "result": None}
    assert peer.ask(2, "ping")["error"]["code"] == -32600
    peer.send({"jsonrpc": "2.0", "method": "exit"})
    assert peer.process.wait(10) == 0 and peer.errors == b""


@pytest.mark.parametrize("how", ["EOF", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("mode", MODES)
def test_calls_under_way_are_answered_at_the_end(bench: Bench, mode: str, how: str, tmp_path: Path) -> None:
    """MCP-EXIT, LEGACY-EXIT: M10, M11, M12: CANCELLED for each, work stopped, code 0, nothing on stderr."""
    peer = bench(mode)
    start_call(peer, 1, tmp_path / "a")
    start_call(peer, 2, tmp_path / "b", deaf=True)
    code, seconds = peer.end(how)
    assert code == 0 and seconds < 15
    answers = [peer.read(), peer.read()]
    assert {answer["id"] for answer in answers} == {1, 2}
    assert {answer["result"]["structuredContent"]["code"] for answer in answers} == {"CANCELLED"}
    assert peer.errors == b""


def test_requests_before_eof_are_answered(bench: Bench) -> None:
    """LEGACY-EXIT: a client that writes and closes still gets its answers."""
    peer = bench("legacy")
    peer.request(7, "tools/call", {"name": "cleats_work", "arguments": {"seconds": 0.2, "echo": "late"}})
    assert peer.process.stdin is not None
    peer.process.stdin.close()
    assert peer.answer(7)["result"]["structuredContent"]["echo"] == "late"
    assert peer.process.wait(10) == 0


WITHOUT = """
import sys
for name in ("mcp", "mcp_types", "pydantic"):
    sys.modules[name] = None
from codecompass.__main__ import main
main()
"""


@pytest.mark.parametrize("choice", ["flag", "setting"])
def test_legacy_needs_no_sdk(indexed: Shell, tmp_path: Path, request: pytest.FixtureRequest, choice: str) -> None:
    """LEGACY-NO-SDK, MCP-NO-SDK: legacy works without it; SDK mode ends with 3 and falls back to nothing."""
    script = tmp_path / "without.py"
    script.write_text(WITHOUT)
    command = [sys.executable, str(script), "serve-mcp"]
    asked = ["--mcp-mode", "legacy"] if choice == "flag" else []
    env = indexed.env if asked else indexed.env | {"CODECOMPASS_MCP_MODE": "legacy"}
    peer = FramedPeer([*command, *asked], indexed.cwd, env)
    request.addfinalizer(peer.kill)
    block = peer.open()["result"]["capabilities"]["experimental"]["pairofcleats"]
    assert block["capabilities"]["mcp"] == {"sdk": False, "legacy": True}
    assert peer.call(1, "search_code", query="rate limit")["result"]["isError"] is False
    refused = subprocess.run(
        [*command, "--mcp-mode", "sdk"], cwd=indexed.cwd, env=env, capture_output=True, input=b"", check=False
    )
    assert refused.returncode == 3 and refused.stdout == b"" and refused.stderr.count(b"\n") == 1


def test_nothing_else_writes_between_the_frames(bench: Bench) -> None:
    """LEGACY-FRAMES, MCP-STDOUT-PURE: fifty calls at once, and every byte of the output belongs to a frame."""
    peer = bench("legacy")
    began = time.monotonic()
    for n in range(50):
        peer.request(n, "tools/call", {"name": "cleats_work", "arguments": {"echo": "x" * n * 100, "reports": 3}})
    answers: dict[int, Any] = {}
    while len(answers) < 50:
        message = peer.read()
        if "id" in message:
            assert message["id"] not in answers
            answers[message["id"]] = message["result"]["structuredContent"]["echo"]
    assert answers == {n: "x" * n * 100 for n in range(50)}
    assert time.monotonic() - began < 60
