"""Messages in both framings: malformed JSON, odd envelopes, hostile arguments (corpus A, C)."""

import json
import sys

import pytest

from tests.surfaces.casefile import check, load_cases
from tests.surfaces.conftest import Shell
from tests.surfaces.framed import MODES, start_peer
from tests.surfaces.stdio_client import Peer

PARSE, REQUEST, PARAMS = -32700, -32600, -32602
CASES = load_cases("messages")
MIB = 1024 * 1024


@pytest.fixture(scope="module", params=MODES)
def shared(indexed: Shell, request: pytest.FixtureRequest) -> Peer:
    """One server in each mode for all messages: it must survive each of them anyway."""
    peer = start_peer(indexed, request.param)
    request.addfinalizer(peer.kill)
    peer.open()
    return peer


@pytest.fixture(params=MODES)
def unopened(indexed: Shell, request: pytest.FixtureRequest) -> Peer:
    peer = start_peer(indexed, request.param, "--no-prewarm")
    request.addfinalizer(peer.kill)
    return peer


@pytest.mark.parametrize("name", CASES)
def test_each_message_gets_its_answers(shared: Peer, name: str) -> None:
    """MCP-MALFORMED, MCP-ENVELOPE, LEGACY-MESSAGES: as the table says, exactly once, and the next request works."""
    shared.put(CASES[name].data)
    check(shared, CASES[name])


def test_a_message_over_the_cap_is_refused_and_skipped(shared: Peer) -> None:
    """MCP-MALFORMED: A12, A13: one error, and reading goes on at the next message."""
    for size in (8 * MIB + 1, 40 * MIB):
        shared.put(b'{"a":"' + b"x" * size + b'"}')
        assert shared.read()["error"]["code"] == PARSE
        assert shared.is_alive()


@pytest.mark.skipif(sys.platform != "linux", reason="reads the process's memory from /proc")
def test_large_messages_leave_nothing_behind(shared: Peer) -> None:
    """MCP-MEMORY: many messages near the cap cost no more memory than a few."""

    def resident() -> int:
        with open(f"/proc/{shared.process.pid}/status") as status:
            return next(int(row.split()[1]) for row in status if row.startswith("VmHWM")) // 1024

    def feed(count: int) -> None:
        body = b'{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"nope","arguments":{"x":"%b"}}}'
        for _ in range(count):
            shared.put(body % (b"x" * (8 * MIB - 200)))
        for _ in range(count):
            # Several may be under way at once; then the later ones find their id in use.
            assert shared.read()["error"]["code"] in (PARAMS, REQUEST)

    feed(6)
    before = resident()
    feed(24)
    assert resident() - before < 64, "MiB of growth for 192 MiB of messages"
    assert shared.is_alive()


def test_deep_arguments_do_no_harm(shared: Peer) -> None:
    """MCP-MALFORMED: A15: nesting that fits is a violation; nesting that does not is a parse error."""
    for depth in (500, 5000):
        deep = b"[" * depth + b"]" * depth
        shared.put(
            b'{"jsonrpc":"2.0","id":"deep","method":"tools/call",'
            b'"params":{"name":"search_code","arguments":{"query":"x","y":' + deep + b"}}}"
        )
        answer = shared.read()
        assert answer.get("error", {}).get("code") == PARSE or answer["result"]["isError"]
        assert shared.is_alive()


def test_line_separators_in_strings_stay_inside_one_line(shared: Peer) -> None:
    """MCP-MALFORMED: A20: U+2028 and U+0085 are ordinary characters of a string; no answer holds a raw line end."""
    answer = shared.call("sep\u2028\u0085", "search_code", query="a\u2028b\u0085c\nd")
    assert answer["result"]["isError"] is False
    assert b"\n" not in shared.seen[-1].removesuffix(b"\n")


def test_ten_thousand_pings_in_one_write(shared: Peer) -> None:
    """MCP-MALFORMED: A23: all are answered."""
    ping = '{{"jsonrpc":"2.0","id":"p{}","method":"ping"}}'
    shared.send_raw(b"".join(shared.wrap(ping.format(n).encode()) for n in range(10_000)))
    assert {shared.read()["id"] for _ in range(10_000)} == {f"p{n}" for n in range(10_000)}


def test_a_long_id_comes_back(shared: Peer) -> None:
    """MCP-ENVELOPE: C07: 10,000 characters."""
    assert shared.ask("x" * 10_000, "ping")["id"] == "x" * 10_000


def test_half_a_message_then_eof(unopened: Peer) -> None:
    """MCP-MALFORMED, MCP-EXIT: A24, B16: exit 0, no answer."""
    unopened.open()
    unopened.send_raw(b'Content-Length: 400\r\n\r\n{"jsonrpc":"2.0","id":9,')
    code, seconds = unopened.end("EOF")
    assert code == 0 and seconds < 10
    assert all(b'"id":9' not in seen for seen in unopened.seen)


def test_nothing_but_ping_before_initialize(unopened: Peer) -> None:
    """MCP-ENVELOPE: C12: ping works, everything else is refused."""
    assert unopened.ask(1, "tools/list")["error"]["code"] == REQUEST
    assert unopened.ask(2, "ping")["result"] == {}
    for params in ({"protocolVersion": 5}, {"x": 1}, {"protocolVersion": "2025-06-18", "capabilities": {}}):
        assert unopened.ask(3, "initialize", params)["error"]["code"] == PARAMS, "C14, C15"
    assert unopened.open()["result"]["serverInfo"]["name"] == "codecompass"


def test_a_byte_order_mark_before_the_first_message_is_stripped(unopened: Peer) -> None:
    """MCP-MALFORMED: A07."""
    unopened.send_raw(b"\xef\xbb\xbf")
    assert unopened.is_alive()


VERSIONS = {
    "2024-11-05": "2024-11-05",
    "2025-03-26": "2025-03-26",
    "2025-06-18": "2025-06-18",
    "2025-11-25": "2025-11-25",
    "9999-01-01": "2024-11-05",
    "": "2024-11-05",
}


def test_versions(unopened: Peer) -> None:
    """MCP-VERSION: C13, C14: a known revision is echoed, any other answered with the oldest; it may be asked again."""
    for asked, answered in VERSIONS.items():
        assert unopened.open(asked)["result"]["protocolVersion"] == answered


@pytest.mark.parametrize("name", ["nope", "__proto__", "constructor", "x" * 1_000_000, ""])
def test_unknown_tools(shared: Peer, name: str) -> None:
    """C-UNKNOWN-TOOL: C17: -32602 with data.code NOT_FOUND."""
    error = shared.call("unknown-tool", name)["error"]
    assert error["code"] == PARAMS and error["data"]["code"] == "NOT_FOUND"
    assert len(json.dumps(error)) < 1000


def test_malformed_calls_say_what_is_wrong(shared: Peer) -> None:
    """MCP-ENVELOPE: C17, C18: refused with the violations."""
    error = shared.ask("malformed", "tools/call", {"name": "search_code", "arguments": []})["error"]
    assert error["code"] == PARAMS and error["data"]["code"] == "INVALID_REQUEST"
    assert error["data"]["details"][0]["keyword"] == "type"


@pytest.mark.parametrize(
    "arguments",
    [{"query": "x", "bogus": 1}, {}, {"query": ""}, {"query": "x", "limit": 0}, {"query": "x", "limit": 3.5},
     {"query": "x", "limit": "5"}, {"query": "x", "limit": True}, {"query": "x", "limit": 10**9}],
)  # fmt: skip
def test_bad_arguments(shared: Peer, arguments: dict[str, object]) -> None:
    """C-ARGS-UNKNOWN, C-ARGS-STRICT, C-META-SIX: C19, C20: a tool error with violations and metadata."""
    result = shared.call("bad", "search_code", **arguments)["result"]
    assert result["isError"] is True
    payload = result["structuredContent"]
    assert payload["error"]["code"] == "invalid_input" and payload["error"]["data"]["violations"]
    assert len(payload["metadata"]) >= 6
