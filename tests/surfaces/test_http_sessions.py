"""Sessions over HTTP: calls that do not meet, calls that are cancelled or resumed, sessions that end."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import (
    ACCEPT,
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
from tests.surfaces.work import until


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


def state_of(trace: Path) -> str:
    return trace.read_text().split()[0] if trace.exists() else ""


def reaches(trace: Path, state: str) -> None:
    until(lambda: state_of(trace), lambda seen: seen == state)


def test_calls_of_sessions_do_not_meet(server: HttpServer, tmp_path: Path) -> None:
    """HTTP-ISOLATION: C30: the same ids in two sessions: answers do not cross, and nobody ends the call of another."""
    with session(server) as one, session(server) as two:
        answers: dict[str, dict[str, Any]] = {}

        def ask(wire: Wire, word: str) -> None:
            trace = str(tmp_path / word)
            answers[word] = wire.call(1, "compass_work", seconds=2, echo=word, trace=trace)

        threads = [threading.Thread(target=ask, args=(one, "one")), threading.Thread(target=ask, args=(two, "two"))]
        for thread in threads:
            thread.start()
        reaches(tmp_path / "one", "started")
        reaches(tmp_path / "two", "started")
        with httpx2.Client(timeout=20) as http:
            stranger = Wire(server, http=http)
            stranger.open()
            stranger.tell("$/cancelRequest", {"id": 1})
            stranger.tell("notifications/cancelled", {"requestId": 1})
            http.post(stranger.url, json={"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}},
                      headers=modern_headers("$/cancelRequest"))  # fmt: skip
            stranger.close()
        with session(server) as other:
            own, other.session = other.session, one.session
            assert messages(other.post(request(1, "ping")))[-1]["error"]["code"] == -32600  # id 1 is at work there
            other.session = own
        two.tell("$/cancelRequest", {"id": "1"})
        for thread in threads:
            thread.join(20)
        assert answers["one"]["result"]["structuredContent"]["echo"] == "one"
        cancelled = answers["two"]["result"]
        assert cancelled["isError"] and cancelled["structuredContent"]["error"]["code"] == "cancelled"


def test_cancelled_notification(wire: Wire, tmp_path: Path) -> None:
    """HTTP-CANCEL: notifications/cancelled stops the work; the stream ends without a result."""
    trace = tmp_path / "trace"
    found: list[httpx2.Response] = []
    params = {"name": "compass_work", "arguments": {"seconds": 60, "trace": str(trace)}}
    calling = threading.Thread(target=lambda: found.append(wire.post(request(5, "tools/call", params))))
    calling.start()
    reaches(trace, "started")
    assert wire.tell("notifications/cancelled", {"requestId": "5"}) == 202
    calling.join(20)
    assert all("result" not in message for message in messages(found[0]))
    reaches(trace, "stopped")
    assert wire.ask(5, "ping")["result"] == {}


def read_events(stream: httpx2.Response, count: int) -> list[tuple[str, str]]:
    text = ""
    for part in stream.iter_text():
        text += part
        found = events(text)
        if len(found) >= count:
            return found
    return events(text)


def test_resumption(wire: Wire, tmp_path: Path) -> None:
    """HTTP-RESUME: in 2025-11-25 a call outlives its connection; Last-Event-ID gives the rest of its stream, once."""
    trace = tmp_path / "trace"
    arguments = {"seconds": 2.0, "reports": 100, "echo": "kept", "trace": str(trace)}
    params = {"name": "compass_work", "arguments": arguments, "_meta": {"progressToken": 1}}
    body = request(8, "tools/call", params)
    with wire.http.stream("POST", wire.url, json=body, headers=wire.headers) as stream:
        seen = read_events(stream, 3)
    assert seen[0][1] == "", "the first event only names a place to resume from"
    last = seen[-1][0]
    again = {**wire.headers, "last-event-id": last}
    with wire.http.stream("GET", wire.url, headers=again) as stream:
        rest = events("".join(stream.iter_text()))
    answer = json.loads(rest[-1][1])
    assert answer["result"]["structuredContent"]["echo"] == "kept"
    numbers = [json.loads(data)["params"]["progress"] for _, data in (*seen[1:], *rest[:-1])]
    assert numbers == sorted(set(numbers))
    assert state_of(trace) == "finished"
    # What is over can be asked for again, from any place.
    whole = wire.http.get(wire.url, headers={**wire.headers, "last-event-id": seen[0][0]})
    assert [identity for identity, _ in events(whole.text)] == [identity for identity, _ in (*seen[1:], *rest)]


@pytest.mark.parametrize("forged", ["x", "0", "-1", "0123456789ab-1", "a" * 2_000, "%00", "1-1-1", "\u0661"])
def test_forged_event_id(server: HttpServer, wire: Wire, forged: str) -> None:
    """HTTP-RESUME: H15: an event id that is forged, foreign or too old gets a clean answer."""
    with session(server) as other:
        text = other.post(request(1, "ping")).text
        foreign = events(text)[-1][0]
        for event_id in (forged.encode(), foreign.encode()):
            headers = [*wire.headers.items(), ("last-event-id", event_id.decode("latin-1"))]
            got = wire.http.get(wire.url, headers=[(name.encode(), value.encode("latin-1")) for name, value in headers])
            assert (got.status_code, got.json()["error"]["data"]["code"]) == (404, "NOT_FOUND")


def test_session_ends_with_delete(server: HttpServer, tmp_path: Path) -> None:
    """HTTP-SESSIONS: DELETE ends a session, its work and its streams; its id is unknown from then on."""
    trace = tmp_path / "trace"
    with session(server) as wire:
        params = {"name": "compass_work", "arguments": {"seconds": 60, "trace": str(trace)}}
        calling = threading.Thread(target=lambda: wire.post(request(5, "tools/call", params)))
        calling.start()
        reaches(trace, "started")
        with wire.http.stream("GET", wire.url, headers=wire.headers) as standing:
            assert standing.status_code == 200
            second = wire.http.get(wire.url, headers=wire.headers)
            assert second.status_code == 409
            assert wire.http.delete(wire.url, headers=wire.headers).status_code == 200
            assert "".join(standing.iter_text()).strip() == ""
        reaches(trace, "stopped")
        calling.join(20)
        assert not calling.is_alive()
        assert wire.post(request(6, "ping")).status_code == 404
        assert wire.http.delete(wire.url, headers=wire.headers).status_code == 404
        wire.session = ""


def test_session_cap(server: HttpServer) -> None:
    """HTTP-SESSIONS: more sessions than allowed are refused for a while; those that are open go on."""
    opened: list[Wire] = []
    try:
        while len(opened) < 12:
            opened.append(Wire(server))
            opened[-1].open()
        late = Wire(server)
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        refused = late.post(request(1, "initialize", params))
        assert (refused.status_code, refused.json()["error"]["data"]["code"]) == (503, "QUEUE_OVERLOADED")
        assert int(refused.headers["retry-after"]) > 0
        assert opened[0].ask(1, "ping")["result"] == {}
        opened.pop().close()
        assert late.open()["result"]["protocolVersion"] == "2025-11-25"
        opened.append(late)
    finally:
        for wire in opened:
            wire.close()


def test_failed_handshake_leaves_no_session(server: HttpServer) -> None:
    """HTTP-SESSIONS: messages that open nothing take no place."""
    with httpx2.Client(timeout=20) as http:
        for _ in range(30):
            got = http.post(f"{server.url}/mcp", json=request(1, "initialize", {"capabilities": 5}), headers=ACCEPT)
            assert messages(got)[-1]["error"]["code"] == -32602
    with session(server) as wire:
        assert wire.ask(1, "ping")["result"] == {}


def test_idle_session_ends(indexed: Shell) -> None:
    """HTTP-SESSIONS: a session without requests ends by itself; one with an open stream does not."""
    with serving(indexed, CODECOMPASS_HTTP_SESSION_IDLE_S="1") as server, session(server) as idle:
        with session(server) as held, held.http.stream("GET", held.url, headers=held.headers):
            time.sleep(1.5)
            ask = idle.headers | {"last-event-id": "x"}
            until(
                lambda: idle.http.get(idle.url, headers=ask).json()["error"]["message"], lambda said: "session" in said
            )
            assert held.post(request(2, "ping")).status_code == 200
        idle.session = ""


def test_modern_client_that_leaves(server: HttpServer, tmp_path: Path) -> None:
    """HTTP-DISCONNECT: in 2026-07-28 closing the connection cancels the call, and nothing else."""
    trace = tmp_path / "trace"
    call = {"name": "compass_work", "arguments": {"seconds": 60, "trace": str(trace)}}
    body = json.dumps(modern(1, "tools/call", call)).encode()
    lines = [f"{name}: {value}" for name, value in modern_headers("tools/call", "compass_work").items()]
    head = ["POST /mcp HTTP/1.1", f"host: {server.host}:{server.port}", "content-type: application/json",
            f"content-length: {len(body)}", *lines, "", ""]  # fmt: skip
    with server.socket() as sock:
        sock.sendall("\r\n".join(head).encode() + body)
        reaches(trace, "started")
    reaches(trace, "stopped")


def test_stateless_client_that_leaves(stateless: HttpServer, tmp_path: Path) -> None:
    """HTTP-DISCONNECT: without sessions nothing can be resumed, so a call ends with its connection."""
    trace = tmp_path / "trace"
    params = {"name": "compass_work", "arguments": {"seconds": 60, "trace": str(trace)}}
    body = json.dumps(request(1, "tools/call", params)).encode()
    head = ["POST /mcp HTTP/1.1", f"host: {stateless.host}:{stateless.port}", "content-type: application/json",
            "accept: application/json, text/event-stream", f"content-length: {len(body)}", "", ""]  # fmt: skip
    with stateless.socket() as sock:
        sock.sendall("\r\n".join(head).encode() + body)
        reaches(trace, "started")
    reaches(trace, "stopped")


def test_stateless_calls_do_not_meet(stateless: HttpServer, tmp_path: Path) -> None:
    """HTTP-ISOLATION: without sessions a request id names nothing outside its own exchange."""
    trace = tmp_path / "trace"
    wire, other = Wire(stateless), Wire(stateless)
    found: list[dict[str, Any]] = []
    calling = threading.Thread(
        target=lambda: found.append(wire.call(1, "compass_work", seconds=1.5, echo="mine", trace=str(trace)))
    )
    calling.start()
    reaches(trace, "started")
    assert other.tell("$/cancelRequest", {"id": 1}) == 202
    assert other.tell("notifications/cancelled", {"requestId": 1}) == 202
    assert other.ask(1, "ping")["result"] == {}
    calling.join(20)
    assert json.loads(found[0]["result"]["content"][0]["text"])["echo"] == "mine"
    wire.close()
    other.close()
