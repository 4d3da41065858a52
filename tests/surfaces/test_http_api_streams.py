"""Streams of the HTTP API: their order, what ends them, and what they cost."""

import asyncio
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.types import Message

from codecompass.contract.envelope import Reply
from codecompass.runtime.deadline import PendingCall
from codecompass.runtime.progress import ProgressEvent
from codecompass.surfaces.http.answers import RequestContext
from codecompass.surfaces.http.api.event_streams import ProgressChannel, SseWriter
from tests.surfaces.apiplace import events, told
from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import META, HttpServer, serving
from tests.surfaces.work import until


@pytest.fixture(scope="module")
def server(indexed: Shell) -> Iterator[HttpServer]:
    with serving(indexed, CODECOMPASS_HTTP_HEARTBEAT_S="0.2", CODECOMPASS_HTTP_WRITE_TIMEOUT_S="1") as made:
        yield made


@pytest.fixture(scope="module")
def api(server: HttpServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.url, timeout=30, headers=server.auth) as client:
        yield client


def well_formed(found: list[tuple[str, Any]]) -> list[str]:
    """The names of events, each with an envelope, in the one order there is."""
    names = [name for name, _ in found]
    assert names[0] == "start" and names[-1] == "done" and names[-2] in ("result", "error")
    assert set(names[1:-2]) <= {"progress"}
    for name, data in found:
        assert data["ok"] is (name != "error"), name
        assert set(data["_meta"]) >= META
        assert ("error" in data) == (name == "error")
    assert found[-1][1]["result"] == {}
    assert len({data["_meta"]["requestId"] for _, data in found}) == 1
    return names


def test_search_stream(api: httpx2.Client, indexed: Shell) -> None:
    """API-STREAM: 000 §7.2.5: start, progress with phase and message, a result as POST /search has it, done."""
    response = api.post("/search/stream", json={"query": "token"}, headers={"accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-store, no-transform"
    found = told(response.text)
    assert "progress" in well_formed(found)
    progress = [data["result"] for name, data in found if name == "progress"]
    assert all(one["phase"] and one["message"] for one in progress)
    plain = api.post("/search", json={"query": "token"}).json()
    assert found[-2][1]["result"] == plain["result"]
    assert found[-2][1]["result"]["repo"] == str(indexed.cwd)


def test_status_stream(api: httpx2.Client, indexed: Shell) -> None:
    """API-STREAM: 000 §7.2.3: start says the repository, result repository and status."""
    found = told(api.get("/status/stream").text)
    assert well_formed(found) == ["start", "result", "done"]
    assert found[0][1]["result"] == {"repo": str(indexed.cwd)}
    assert found[1][1]["result"]["repo"] == str(indexed.cwd)
    assert found[1][1]["result"]["status"]["index_status"] == "ready"
    assert api.head("/status/stream?follow=true").headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/search/stream", {"query": "a", "repo": "/etc"}, "FORBIDDEN"),
        ("/search/stream", {"query": "a", "branch": "no-such"}, "NOT_FOUND"),
        ("/tools/compass_work/stream", {"crash": True}, "INTERNAL"),
        ("/tools/context_work/stream", {"crash": True}, "INTERNAL"),
        ("/tools/locate_symbol/stream", {"name": "Auth", "workspace": "/etc"}, "FORBIDDEN"),
    ],
)
def test_failures_come_as_an_event(api: httpx2.Client, path: str, body: dict[str, Any], code: str) -> None:
    """API-STREAM: after start a failure is the event error, and done follows without one."""
    found = told(api.post(path, json=body).text)
    well_formed(found)
    name, said = found[-2]
    assert (name, said["code"], said["error"]["code"]) == ("error", code, code)
    assert "secret" not in json.dumps(said)
    follows = told(api.get("/status/stream", params={"repo": "/etc", "follow": "true"}).text)
    assert well_formed(follows) == ["start", "error", "done"]


def test_progress_and_heartbeats(api: httpx2.Client) -> None:
    """API-HEARTBEAT: silence is filled with comments; progress rises, at most four a second; text stays one event."""
    text = "a\nb\r\n\ndata: c\u2028\u0085event: done"
    with api.stream("POST", "/tools/cleats_work/stream", json={"seconds": 1.5, "echo": text}) as response:
        quiet = list(events(response.iter_lines()))
    assert len([1 for name, _ in quiet if not name]) >= 2
    assert well_formed([event for event in quiet if event[0]]) == ["start", "result", "done"]
    assert quiet[-2][1]["result"]["echo"] == text
    began = time.monotonic()
    busy = told(api.post("/tools/cleats_work/stream", json={"seconds": 1, "reports": 1_000}).text)
    spent = time.monotonic() - began
    well_formed(busy)
    numbers = [data["result"]["progress"] for name, data in busy if name == "progress"]
    assert 2 <= len(numbers) <= spent * 4 + 3
    assert numbers == sorted(set(numbers)) and numbers[-1] == 1_000


@pytest.mark.parametrize("path", ["/tools/cleats_work/stream", "/tools/cleats_work"])
def test_disconnect_stops_the_work(server: HttpServer, tmp_path: Path, path: str) -> None:
    """API-DISCONNECT: work stops when its client leaves, streamed or not."""
    spent = []
    for number in range(3):
        trace = tmp_path / f"trace-{number}"
        body = json.dumps({"seconds": 60, "trace": str(trace)}).encode()
        head = (f"POST {path} HTTP/1.1\r\nhost: {server.host}:{server.port}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\n\r\n")  # fmt: skip
        with server.socket() as sock:
            sock.sendall(head.encode() + body)
            until(trace.exists, bool)
            left = time.monotonic()
        word, moment = until(lambda: trace.read_text().split(), lambda words: words[0] != "started")  # noqa: B023
        assert word == "stopped"
        spent.append(float(moment) - left)
    # Two tenths of a second are meant, with room for a machine that does other things.
    assert min(spent) < 1.0


def test_reader_that_stalls(server: HttpServer, api: httpx2.Client) -> None:
    """API-SLOW: a client that does not read is cut off; others are served meanwhile."""
    body = json.dumps({"echo": "x" * 60_000}).encode()
    head = (f"POST /tools/context_work/stream HTTP/1.1\r\nhost: {server.host}:{server.port}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n")  # fmt: skip
    with server.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        deaf.settimeout(1)
        try:
            for _ in range(2_000):
                deaf.sendall(head.encode() + body)
        except OSError:
            # The server reads no further, or has had enough already.
            pass
        assert api.post("/search", json={"query": "token"}).status_code == 200
        until(lambda: server.errors, lambda said: "client_does_not_read" in said)


def test_stalled_reader_holds_one_event() -> None:
    """API-SLOW: while the client does not read, new progress takes the place of old; nothing piles up."""

    async def run() -> list[Message]:
        sent: list[Message] = []
        free = asyncio.Event()

        async def send(message: Message) -> None:
            sent.append(message)
            await free.wait()

        teller, feed, pending = SseWriter(RequestContext("1", 0, "/"), send, 60), ProgressChannel(), PendingCall()
        relaying = asyncio.create_task(feed.relay(pending, teller))
        for number in range(10_000):
            feed.put(ProgressEvent("t", f"step {number}", "info", "p", "", number, None))
            if number == 0:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert len(sent) == 1
        pending.set_reply(Reply())
        free.set()
        await asyncio.wait_for(relaying, 10)
        return sent

    sent = asyncio.run(run())
    assert [json.loads(one["body"].split(b"data: ")[1])["result"]["message"] for one in sent] == ["step 0", "step 9999"]


def test_following(fresh: Shell) -> None:
    """API-FOLLOW: a follower hears every change until the server ends, then the last state and done."""
    assert fresh.run("index").returncode == 0
    with serving(fresh, CODECOMPASS_HTTP_HEARTBEAT_S="0.2") as server:
        seen: list[tuple[str, Any]] = []

        def follow() -> None:
            with httpx2.stream("GET", f"{server.url}/status/stream?follow=true", timeout=60) as response:
                seen.extend(events(response.iter_lines()))

        following = threading.Thread(target=follow)
        following.start()
        until(lambda: [name for name, _ in seen], lambda names: "progress" in names)
        (fresh.cwd / "src" / "more.py").write_text("def more() -> int:\n    return 1\n")
        until(lambda: [_files(data) for name, data in seen if name == "progress"], lambda counts: 2 in counts)
        assert any(not name for name, _ in seen), "no heartbeat"
        code, _ = server.end(signal.SIGTERM)
        following.join(20)
        assert code == 0
    names = well_formed([event for event in seen if event[0]])
    assert names[-2] == "result"
    assert _files(seen[-2][1]) == 2


def _files(data: dict[str, Any]) -> int:
    return int(data["result"]["status"]["file_count"])


def test_a_signal_ends_streams_and_calls(indexed: Shell, tmp_path: Path) -> None:
    """API-END: when the server ends, calls are answered as cancelled and streams come to their end."""
    with serving(indexed) as server:
        found: dict[str, httpx2.Response] = {}
        paths = ("/tools/cleats_work", "/tools/cleats_work/stream")
        traces = {path: tmp_path / path.replace("/", "-") for path in paths}

        def call(path: str) -> None:
            body = {"seconds": 60, "trace": str(traces[path])}
            found[path] = httpx2.post(server.url + path, json=body, timeout=30)

        calls = [threading.Thread(target=call, args=(path,)) for path in traces]
        for one in calls:
            one.start()
        until(lambda: all(trace.exists() for trace in traces.values()), bool)
        code, _ = server.end(signal.SIGTERM)
        for one in calls:
            one.join(20)
        assert code == 0
    plain, streamed = (found[path] for path in traces)
    assert (plain.status_code, plain.json()["code"]) == (499, "CANCELLED")
    events_ = told(streamed.text)
    assert well_formed(events_)[-2] == "error" and events_[-2][1]["code"] == "CANCELLED"


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the memory of a process is read from /proc")
def test_many_idle_streams(server: HttpServer, api: httpx2.Client) -> None:
    """API-IDLE: a hundred followers cost little, share one look at the repository, and leave nothing behind."""

    def resident() -> int:
        with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def calls() -> int:
        return int(api.get("/status").json()["result"]["status"]["metrics"]["calls"])

    request = (f"GET /status/stream?follow=true HTTP/1.1\r\nhost: {server.host}:{server.port}\r\n\r\n").encode()
    before = resident()
    held = []
    try:
        for _ in range(100):
            sock = server.socket()
            held.append(sock)
            sock.sendall(request)
        for sock in held:
            assert sock.recv(64).startswith(b"HTTP/1.1 200")
        first = calls()
        time.sleep(2.5)
        assert calls() - first < 20, "each follower looks for itself"
        assert resident() - before < 100 * 512 * 1024
        assert api.post("/search", json={"query": "token"}).status_code == 200
    finally:
        for sock in held:
            sock.close()
    until(server.is_alive, bool)
