"""MCP over HTTP: sessions, exchanges without one, resumption, cancellation; official client and bare wire."""

from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client

from codecompass.contract.versions import SCHEMA_VERSION
from codecompass.errors import CODES_BY_NAME
from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import (
    HttpServer,
    Wire,
    events,
    messages,
    modern,
    modern_headers,
    request,
    serving,
    session,
)

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.fixture(scope="module")
def server(indexed: Shell) -> Iterator[HttpServer]:
    with serving(indexed, CODECOMPASS_HTTP_MAX_SESSIONS="12") as started:
        yield started
        assert started.is_alive()
        assert "crashed" not in started.errors, started.errors


@pytest.fixture(scope="module")
def stateless(indexed: Shell) -> Iterator[HttpServer]:
    with serving(indexed, "--stateless") as started:
        yield started
        assert "crashed" not in started.errors, started.errors


@pytest.fixture
def wire(server: HttpServer) -> Iterator[Wire]:
    with session(server) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("kind", ["server", "stateless"])
def test_official_client(request: pytest.FixtureRequest, kind: str, mode: str) -> None:
    """HTTP-CLIENTS: the official client lists and calls, with and without sessions, in both eras of the protocol."""
    started: HttpServer = request.getfixturevalue(kind)
    heard: list[tuple[float, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async def talk() -> None:
        async with Client(f"{started.url}/mcp", mode=mode) as client:
            assert client.protocol_version == ("2026-07-28" if mode == "auto" else "2025-11-25")
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "search_code" in names and "compass_work" in names
            status = await client.call_tool("index_status", {})
            assert status.structured_content is not None
            assert status.structured_content["index_status"] == "ready"
            done = await client.call_tool(
                "compass_work", {"seconds": 0.6, "reports": 50, "echo": "ü"}, progress_callback=listen
            )
            assert done.structured_content is not None and done.structured_content["echo"] == "ü"

    anyio.run(talk)
    assert heard and [value for value, _ in heard] == sorted({value for value, _ in heard})


@pytest.mark.parametrize("version", REVISIONS)
def test_handshake(server: HttpServer, version: str) -> None:
    """HTTP-HANDSHAKE: every revision is settled on as asked, with our capabilities and the versions of the tools."""
    wire = Wire(server, version)
    try:
        result = wire.open()["result"]
        assert result["protocolVersion"] == version
        assert result["serverInfo"]["name"] == "codecompass"
        assert result["capabilities"]["tools"] == {"listChanged": False}
        assert result["capabilities"]["experimental"]["pairofcleats"]["schemaVersion"] == SCHEMA_VERSION
        for tool in wire.ask(1, "tools/list")["result"]["tools"]:
            assert all(tool[key] == tool["_meta"][key] for key in ("schemaVersion", "toolingVersion"))
        answer = wire.call(2, "index_status")["result"]
        assert ("structuredContent" in answer) == (version >= "2025-06-18")
    finally:
        wire.close()


def test_unknown_revision_gets_the_oldest(server: HttpServer) -> None:
    """HTTP-HANDSHAKE: a client that knows none of ours is answered with 2024-11-05."""
    wire = Wire(server)
    params = {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = wire.post(request(1, "initialize", params))
    wire.session = answer.headers["mcp-session-id"]
    assert messages(answer)[-1]["result"]["protocolVersion"] == "2024-11-05"
    wire.close()


def test_revision_without_handshake(server: HttpServer) -> None:
    """HTTP-MODERN: 2026-07-28: discovery, calls and errors without a session; headers must agree with the body."""
    with httpx2.Client(timeout=20) as http:

        def send(message: dict[str, Any], headers: dict[str, str]) -> httpx2.Response:
            return http.post(f"{server.url}/mcp", json=message, headers=headers)

        found = send(modern(1, "server/discover"), modern_headers("server/discover"))
        assert found.status_code == 200 and "mcp-session-id" not in found.headers
        assert "pairofcleats" in found.json()["result"]["capabilities"]["experimental"]
        listed = send(modern(1, "tools/list"), modern_headers("tools/list")).json()["result"]["tools"]
        assert all("schemaVersion" not in tool and "schemaVersion" in tool["_meta"] for tool in listed)
        call = {"name": "index_status", "arguments": {}}
        answer = send(modern(1, "tools/call", call), modern_headers("tools/call", "index_status")).json()
        assert answer["result"]["structuredContent"]["index_status"] == "ready"
        mismatch = send(modern(1, "tools/call", call), modern_headers("tools/call", "search_code"))
        assert (mismatch.status_code, mismatch.json()["error"]["code"]) == (400, -32020)
        bare = send(request(1, "tools/list"), modern_headers("tools/list"))
        assert (bare.status_code, bare.json()["error"]["code"]) == (400, -32602)
        assert bare.json()["error"]["data"]["code"] == mismatch.json()["error"]["data"]["code"] == "INVALID_REQUEST"
        gone = send(modern(1, "ping"), modern_headers("ping"))
        assert (gone.status_code, gone.json()["error"]["code"]) == (404, -32601)
        assert gone.json()["error"]["data"]["code"] == "NOT_FOUND"
        unknown = send(modern(1, "tools/list"), modern_headers("tools/list") | {"mcp-protocol-version": "3000-01-01"})
        assert unknown.status_code == 400
        assert http.get(f"{server.url}/mcp", headers=modern_headers("x")).status_code == 405


WRONG: dict[str, tuple[object, int, int]] = {
    "C01 jsonrpc": ({"jsonrpc": "1.0", "id": 9, "method": "ping"}, 400, -32600),
    "C02 no method": ({"jsonrpc": "2.0", "id": 9}, 400, -32600),
    "C03 method number": ({"jsonrpc": "2.0", "id": 9, "method": 5}, 400, -32600),
    "C04 id null": ({"jsonrpc": "2.0", "id": None, "method": "ping"}, 400, -32600),
    "C05 id float": ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, 400, -32600),
    "C16 unknown method": (request(9, "nothing/here"), 200, -32601),
    "C17 no name": (request(9, "tools/call", {"arguments": {}}), 200, -32602),
    "C17 unknown tool": (request(9, "tools/call", {"name": "__proto__", "arguments": {}}), 200, -32602),
    "C18 arguments": (request(9, "tools/call", {"name": "index_status", "arguments": []}), 200, -32602),
    "C24 token": (request(9, "tools/call", {"name": "index_status", "_meta": {"progressToken": {}}}), 200, -32602),
    "C29 cursor": (request(9, "tools/list", {"cursor": "forged"}), 200, -32602),
    "cleats violation": (request(9, "tools/call", {"name": "cleats_work", "arguments": {"seconds": -1}}), 200, -32602),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_messages(wire: Wire, name: str) -> None:
    """HTTP-GUARD: wrong messages get the error they would get on stdio, and the session goes on."""
    message, status, code = WRONG[name]
    response = wire.post(message)
    assert response.status_code == status
    error = messages(response)[-1]["error"]
    assert error["code"] == code
    assert error["data"]["code"] in CODES_BY_NAME
    assert wire.ask(10, "ping")["result"] == {}


def test_wrong_text_has_its_answer(wire: Wire) -> None:
    """HTTP-GUARD: A10: text that cannot be represented is an error of that request, not of the server."""
    body = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud800"}}'
    response = wire.http.post(wire.url, content=body, headers=wire.headers | {"content-type": "application/json"})
    assert (response.json()["id"], response.json()["error"]["code"]) == (7, -32602)


def test_progress_travels_with_its_request(wire: Wire) -> None:
    """HTTP-PROGRESS: progress stands on the stream of its own request, before the answer, in our words too."""
    params = {"name": "compass_work", "arguments": {"seconds": 0.7, "reports": 30}, "_meta": {"progressToken": "t"}}
    seen = messages(wire.post(request(3, "tools/call", params)))
    assert seen[-1]["id"] == 3
    notes = [message["params"] for message in seen[:-1]]
    assert notes and all(note["progressToken"] == "t" and note["tool"] == "compass_work" for note in notes)
    assert [note["progress"] for note in notes] == sorted({note["progress"] for note in notes})
    silent = messages(wire.post(request(4, "tools/call", {"name": "compass_work", "arguments": {"reports": 5}})))
    assert [message["id"] for message in silent] == [4]


def test_stream_keeps_text_in_one_event(wire: Wire) -> None:
    """HTTP-EVENTS: H15: line ends of any kind within data do not break an event."""
    odd = "a\nb\r\nc\rd\u2028e\x85f\x0bg\x1ch: data: x\n\nid: 7\n\n"
    params = {"name": "context_work", "arguments": {"echo": odd}}
    response = wire.post(request(1, "tools/call", params))
    assert len([data for _, data in events(response.text) if data]) == 1
    assert messages(response)[-1]["result"]["structuredContent"]["echo"] == odd
