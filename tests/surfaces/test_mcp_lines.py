"""The stdio server against raw lines: malformed JSON, odd envelopes, hostile arguments (reliability §7, A and C)."""

import json
import sys
from collections.abc import Callable

import pytest

from tests.surfaces.peer import Peer

Connect = Callable[..., Peer]
PARSE, REQUEST, PARAMS = -32700, -32600, -32602
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def line(**fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


@pytest.fixture(scope="module")
def shared(indexed: object, request: pytest.FixtureRequest) -> Peer:
    """One server for all lines: it must survive each of them anyway."""
    assert hasattr(indexed, "cwd") and hasattr(indexed, "env")
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp"], indexed.cwd, indexed.env)
    request.addfinalizer(peer.kill)
    peer.open()
    return peer


BAD_LINES = {
    "A03 open brace": (b"{", PARSE),
    "A04 two objects": (PING + PING, PARSE),
    "A08 invalid utf-8": (b'"\xff\xfe"', PARSE),
    "A09 overlong utf-8": (b'"\xc0\xaf"', PARSE),
    "A11 nul": (b'{"a":"\x00"}', PARSE),
    "A14 deep": (b"[" * 100_000, PARSE),
    "A16 nan": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', PARSE),
    "A17 digits": (b"1" * 10_000, PARSE),
    "A18 exponent": (b"1e400", PARSE),
    "A21 batch": (b"[" + PING + b"]", REQUEST),
    "A22 scalar": (b"1", REQUEST),
    "A22 null": (b"null", REQUEST),
    "C01 version": (b'{"jsonrpc":"1.0","method":"ping"}', REQUEST),
    "C02 no method": (b'{"jsonrpc":"2.0"}', REQUEST),
    "C03 method number": (line(method=5), REQUEST),
    "C04 id null": (line(id=None, method="ping"), REQUEST),
    "C05 id object": (line(id={}, method="ping"), REQUEST),
    "C05 id bool": (line(id=True, method="ping"), REQUEST),
    "C05 id float": (line(id=1.5, method="ping"), REQUEST),
    "A01 bom later": (b"\xef\xbb\xbf" + PING, PARSE),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_bad_lines_are_answered(shared: Peer, case: str) -> None:
    """MCP-MALFORMED, MCP-ENVELOPE: an error with id null, and the next request works."""
    text, code = BAD_LINES[case]
    shared.send_raw(text + b"\n")
    answer = shared.read()
    assert answer["id"] is None and answer["error"]["code"] == code
    assert shared.is_alive()


def test_an_object_broken_by_a_newline_is_two_errors(shared: Peer) -> None:
    """MCP-MALFORMED: A05."""
    shared.send_raw(b'{"jsonrpc":"2.0",\n"id":1}\n')
    assert [shared.read()["error"]["code"] for _ in range(2)] == [PARSE, PARSE]
    assert shared.is_alive()


@pytest.mark.parametrize("text", [b"", b"   ", b"\t", b"\r"])
def test_empty_lines_are_ignored(shared: Peer, text: bytes) -> None:
    """MCP-MALFORMED: A01, A02."""
    shared.send_raw(text + b"\n")
    assert shared.is_alive()


def test_crlf_is_accepted(shared: Peer) -> None:
    """MCP-MALFORMED: A06."""
    shared.send_raw(line(id="crlf", method="ping") + b"\r\n")
    assert shared.answer("crlf")["result"] == {}


def test_a_byte_order_mark_before_the_first_line_is_stripped(connect: Connect) -> None:
    """MCP-MALFORMED: A07."""
    peer = connect(opened=False)
    peer.send_raw(b"\xef\xbb\xbf" + line(id="bom", method="ping") + b"\n")
    assert peer.answer("bom")["result"] == {}


def test_a_lone_surrogate_is_answered_to_its_id(shared: Peer) -> None:
    """MCP-MALFORMED, C-ARGS-UNICODE: A10."""
    shared.send_raw(
        b'{"jsonrpc":"2.0","id":"sur","method":"tools/call",'
        b'"params":{"name":"search_code","arguments":{"query":"\\ud800"}}}\n'
    )
    assert shared.answer("sur")["error"]["code"] == PARAMS
    assert shared.is_alive()


def test_a_line_over_the_cap_is_refused_and_skipped(shared: Peer) -> None:
    """MCP-MALFORMED: A12, A13: one error, and reading goes on at the next line, with memory bounded."""
    for size in (8 * 1024 * 1024 + 1, 64 * 1024 * 1024):
        shared.send_raw(b'{"a":"' + b"x" * size + b'"}\n')
        assert shared.read()["error"]["code"] == PARSE
        assert shared.is_alive()
    if sys.platform == "linux":
        with open(f"/proc/{shared.process.pid}/status") as status:
            peak = next(int(row.split()[1]) for row in status if row.startswith("VmHWM"))
        assert peak < 400 * 1024, f"{peak} KiB"


def test_deep_arguments_do_no_harm(shared: Peer) -> None:
    """MCP-MALFORMED: A15: nesting that fits is a violation; nesting that does not is a parse error."""
    for depth in (500, 5000):
        deep = b"[" * depth + b"]" * depth
        shared.send_raw(
            b'{"jsonrpc":"2.0","id":"deep","method":"tools/call",'
            b'"params":{"name":"search_code","arguments":{"query":"x","y":' + deep + b"}}}\n"
        )
        answer = shared.read()
        assert answer.get("error", {}).get("code") == PARSE or answer["result"]["isError"]
        assert shared.is_alive()


def test_line_separators_in_strings_stay_inside_one_line(shared: Peer) -> None:
    """MCP-MALFORMED: A20: U+2028 and U+0085 are ordinary characters of a string."""
    answer = shared.call("sep\u2028\u0085", "search_code", query="a\u2028b\u0085c\nd")
    assert answer["result"]["isError"] is False
    assert shared.seen[-1].count(b"\n") == 1


def test_ten_thousand_pings_in_one_write(shared: Peer) -> None:
    """MCP-MALFORMED: A23: all are answered."""
    shared.send_raw(b"".join(line(id=f"p{n}", method="ping") + b"\n" for n in range(10_000)))
    assert {shared.read()["id"] for _ in range(10_000)} == {f"p{n}" for n in range(10_000)}


def test_half_a_message_then_eof(connect: Connect) -> None:
    """MCP-MALFORMED, MCP-EXIT: A24: exit 0, no answer."""
    peer = connect()
    peer.send_raw(b'{"jsonrpc":"2.0","id":9,')
    code, seconds = peer.end("EOF")
    assert code == 0 and seconds < 2.5
    assert all(b'"id":9' not in seen for seen in peer.seen)


@pytest.mark.parametrize("request_id", [2**53 + 1, -1, 0, "", "x" * 10_000, "1e5"])
def test_ids_come_back_exactly(shared: Peer, request_id: object) -> None:
    """MCP-ENVELOPE: C06, C07."""
    assert shared.ask(request_id, "ping")["id"] == request_id


def test_client_responses_are_ignored(shared: Peer) -> None:
    """MCP-ENVELOPE: C10."""
    shared.send_raw(line(id=5, result={}) + b"\n" + line(id=6, error={"code": 1, "message": "x"}) + b"\n")
    assert shared.is_alive()


@pytest.mark.parametrize("method", ["notifications/nonsense", "notifications/progress", "tools/call"])
def test_notifications_are_never_answered(shared: Peer, method: str) -> None:
    """MCP-ENVELOPE: C11."""
    shared.send({"jsonrpc": "2.0", "method": method, "params": {"bogus": 1}})
    assert shared.is_silent() and shared.is_alive()


def test_nothing_but_ping_before_initialize(connect: Connect) -> None:
    """MCP-ENVELOPE: C12: ping works, everything else is refused."""
    peer = connect(opened=False)
    assert peer.ask(1, "tools/list")["error"]["code"] == REQUEST
    assert peer.ask(2, "ping")["result"] == {}
    assert peer.open()["result"]["serverInfo"]["name"] == "codecompass"


@pytest.mark.parametrize(
    ("version", "answered"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("9999-01-01", "2024-11-05"),
        ("", "2024-11-05"),
    ],
)
def test_versions(connect: Connect, version: str, answered: str) -> None:
    """MCP-VERSION: C14: a known revision is echoed, any other answered with the oldest."""
    assert connect(opened=False).open(version)["result"]["protocolVersion"] == answered


@pytest.mark.parametrize("params", [{"protocolVersion": 5}, {}, {"protocolVersion": "2025-06-18", "capabilities": {}}])
def test_a_bad_initialize_is_refused(connect: Connect, params: dict[str, object]) -> None:
    """MCP-VERSION: C14, C15."""
    peer = connect(opened=False)
    assert peer.ask(1, "initialize", params or {"x": 1})["error"]["code"] == PARAMS


@pytest.mark.parametrize("method", ["foo/bar", "__proto__", "tools/nope", "resources/list", "prompts/list"])
def test_unknown_methods(shared: Peer, method: str) -> None:
    """MCP-ENVELOPE: C16."""
    assert shared.ask("unknown", method)["error"]["code"] == -32601


@pytest.mark.parametrize("name", ["nope", "__proto__", "constructor", "x" * 1_000_000, ""])
def test_unknown_tools(shared: Peer, name: str) -> None:
    """C-UNKNOWN-TOOL: C17: -32602 with data.code NOT_FOUND."""
    error = shared.call("unknown-tool", name)["error"]
    assert error["code"] == PARAMS and error["data"]["code"] == "NOT_FOUND"
    assert len(json.dumps(error)) < 1000


@pytest.mark.parametrize(
    "params",
    [
        {"arguments": {}},
        {"name": 5},
        {"name": "search_code", "arguments": []},
        {"name": "search_code", "arguments": "x"},
        {"name": "search_code", "arguments": None},
    ],
)
def test_malformed_calls(shared: Peer, params: dict[str, object]) -> None:
    """MCP-ENVELOPE: C17, C18: refused with the violations."""
    error = shared.ask("malformed", "tools/call", params)["error"]
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


@pytest.mark.parametrize("cursor", ["forged", ""])
def test_a_forged_cursor(shared: Peer, cursor: str) -> None:
    """MCP-ENVELOPE: C29."""
    assert shared.ask("cursor", "tools/list", {"cursor": cursor})["error"]["code"] == PARAMS


@pytest.mark.parametrize("params", [[], "x", 5])
def test_params_are_an_object(shared: Peer, params: object) -> None:
    """MCP-ENVELOPE: anything else is an invalid parameter of that request."""
    shared.send({"jsonrpc": "2.0", "id": "params", "method": "ping", "params": params})
    assert shared.answer("params")["error"]["code"] == PARAMS
