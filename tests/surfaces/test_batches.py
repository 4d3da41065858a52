"""Batches over both framings and over HTTP; and the code that every protocol error carries."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from codecompass.errors import CODES_BY_NAME
from tests.surfaces.conftest import Shell
from tests.surfaces.framed import MODES, bench, start_peer
from tests.surfaces.httpserver import HttpServer, Wire, request, serving, session
from tests.surfaces.stdio_client import Peer

__all__ = ("bench",)

OLD = ("2024-11-05", "2025-03-26")
NEW = ("2025-06-18", "2025-11-25")
NOTE = {"jsonrpc": "2.0", "method": "notifications/nothing"}
TRANSPORTS = (*MODES, "http", "stateless")


def call(request_id: object, tool: str, **arguments: object) -> dict[str, Any]:
    return request(request_id, "tools/call", {"name": tool, "arguments": arguments})


@pytest.fixture(scope="module")
def server(indexed: Shell) -> Iterator[HttpServer]:
    with serving(indexed) as started:
        yield started
        assert "crashed" not in started.errors, started.errors


@pytest.fixture(scope="module")
def stateless(indexed: Shell) -> Iterator[HttpServer]:
    with serving(indexed, "--stateless") as started:
        yield started
        assert "crashed" not in started.errors, started.errors


Exchange = Callable[[object], Any]


@pytest.fixture
def exchange(
    bench: Callable[..., Peer], server: HttpServer, stateless: HttpServer, request: pytest.FixtureRequest
) -> Callable[[str, str], Exchange]:
    """For a transport and a revision: sends any JSON and returns what came back, None when nothing did."""

    def over_stdio(mode: str, version: str) -> Exchange:
        peer = bench(mode, version=version)

        def send(message: object) -> Any:  # noqa: ANN401 - any JSON value
            peer.send(message)
            peer.request("fence", "ping")
            items = message if isinstance(message, list) else [{"id": 0}]
            answered = not items or len(items) > 256 or any(isinstance(one, dict) and "id" in one for one in items)
            found = [peer.read_value() for _ in range(1 + answered)]
            found.remove({"jsonrpc": "2.0", "id": "fence", "result": {}})
            return found[0] if found else None

        return send

    def over_http(started: HttpServer, version: str) -> Exchange:
        wire = Wire(started, version)
        request.addfinalizer(wire.close)
        if started is server:
            wire.open()

        def send(message: object) -> Any:  # noqa: ANN401 - any JSON value
            response = wire.post(message, **{"mcp-protocol-version": version})
            if response.status_code == 202:
                return None
            return response.json()

        return send

    def start(transport: str, version: str) -> Exchange:
        if transport in MODES:
            return over_stdio(transport, version)
        return over_http(server if transport == "http" else stateless, version)

    return start


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("version", OLD)
def test_batches_are_answered_together(exchange: Callable[[str, str], Exchange], transport: str, version: str) -> None:
    """MCP-BATCH: requests, notifications and mistakes in one list; one list of answers, each in its own words."""
    send = exchange(transport, version)
    found = send([
        request(1, "ping"), NOTE, call("two", "compass_work", echo="x"), request(3, "nothing/here"), 7,
        request(4, "initialize", {"protocolVersion": version}), {"jsonrpc": "1.0", "id": 5, "method": "ping"},
    ])  # fmt: skip
    assert isinstance(found, list) and len(found) == 6, found
    by_id = {answer["id"]: answer for answer in found}
    assert by_id[1]["result"] == {}
    assert json.loads(by_id["two"]["result"]["content"][0]["text"])["echo"] == "x"
    for request_id, number in ((3, -32601), (None, -32600), (4, -32600), (5, -32600)):
        error = by_id[request_id]["error"]
        assert (error["code"], error["data"]["code"] in CODES_BY_NAME) == (number, True)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_batch_without_requests_has_no_answer(exchange: Callable[[str, str], Exchange], transport: str) -> None:
    """MCP-BATCH: notifications alone are taken in silence; an empty list and one that is too long are mistakes."""
    send = exchange(transport, "2025-03-26")
    assert send([NOTE, NOTE]) is None
    for wrong in ([], [NOTE] * 257):
        answer = send(wrong)
        assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert send([request(1, "ping")]) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("version", NEW)
def test_later_revisions_refuse_batches(exchange: Callable[[str, str], Exchange], transport: str, version: str) -> None:
    """MCP-BATCH: where the revision has no batches, one error says so and names the revision."""
    answer = exchange(transport, version)([request(1, "ping")])
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert answer["error"]["data"]["code"] == "INVALID_REQUEST"
    assert version in answer["error"]["message"] and "one by one" in answer["error"]["message"]


@pytest.mark.parametrize("mode", MODES)
def test_a_call_of_a_batch_can_be_cancelled(bench: Callable[..., Peer], mode: str) -> None:
    """MCP-BATCH: what is cancelled in silence leaves the batch; the others are answered."""
    peer = bench(mode, version="2025-03-26")
    peer.send([call("slow", "compass_work", seconds=30), request("quick", "ping")])
    assert peer.is_silent(0.3)
    peer.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
    assert peer.read_value() == [{"jsonrpc": "2.0", "id": "quick", "result": {}}]
    assert peer.is_alive()


EARLY: dict[str, tuple[bytes, int, str]] = {
    "parse": (b"{", -32700, "INVALID_REQUEST"),
    "invalid request": (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600, "INVALID_REQUEST"),
    "before initialize": (b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', -32600, "INVALID_REQUEST"),
    "a batch before initialize": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "INVALID_REQUEST"),
    "initialize": (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', -32602, "INVALID_REQUEST"),
}
LATE: dict[str, tuple[bytes, int, str]] = {
    "unknown method": (b'{"jsonrpc":"2.0","id":1,"method":"nothing/here"}', -32601, "NOT_FOUND"),
    "params": (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}', -32602, "INVALID_REQUEST"),
    "no name": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602, "INVALID_REQUEST"),
    "unknown tool": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}', -32602, "NOT_FOUND"),
    "no uri": (b'{"jsonrpc":"2.0","id":1,"method":"resources/read"}', -32602, "INVALID_REQUEST"),
    "unknown uri": (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:y"}}', -32002, "NOT_FOUND"),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_error_of_stdio_has_a_code(indexed: Shell, mode: str) -> None:
    """MCP-ERROR-CODE: parse, invalid request, unknown method, before initialize: each carries data.code."""
    peer = start_peer(indexed, mode, "--no-prewarm")
    try:
        for opened, rows in ((False, EARLY), (True, LATE)):
            if opened:
                peer.open()
            for name, (data, number, code) in rows.items():
                peer.put(data)
                error = peer.read()["error"]
                assert (name, error["code"], error["data"]["code"]) == (name, number, code)
    finally:
        peer.kill()


def test_every_error_of_http_has_a_code(server: HttpServer) -> None:
    """MCP-ERROR-CODE: the same over /mcp, with and without a session, as JSON and as events."""
    for opened, rows in ((False, EARLY), (True, LATE)):
        for name, (data, number, code) in rows.items():
            with session(server) as wire:
                if not opened:
                    wire.session = ""
                headers = wire.headers | {"content-type": "application/json"}
                response = wire.http.post(wire.url, content=data, headers=headers)
                lines = [line.removeprefix("data: ") for line in response.text.splitlines()]
                error = next(json.loads(line) for line in lines if line.startswith("{"))["error"]
                assert (name, error["code"], error["data"]["code"]) == (name, number, code)
