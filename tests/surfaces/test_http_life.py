"""The HTTP server's life: what it refuses to start with, how it ends, and a client that does not read."""

import json
import os
import signal
import socket
import stat
import threading
from pathlib import Path

import httpx2
import pytest

from codecompass.repo.process.process_tree import find_descendants, list_processes
from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import HttpServer, Wire, messages, request, serving, session
from tests.surfaces.work import all_gone, until


def test_reachable_address_needs_a_token(fresh: Shell) -> None:
    """HTTP-BIND: I04: an address that others can reach is refused without a token, with a way out."""
    for host in ("0.0.0.0", "::"):
        done = fresh.run("serve-http", "--host", host, "--port", "0")
        assert done.returncode == 4
        assert "token" in done.stderr and "CODECOMPASS_HTTP_AUTH_TOKEN" in done.stderr
        assert "Traceback" not in done.stderr and done.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--port", "70000"), "between 0 and 65535"),
        (("--port", "-1"), "between 0 and 65535"),
        (("--port", "abc"), "takes a whole number"),
        (("--host", "no.such.host.invalid"), "not an address or name"),
        (("--host", "192.0.2.1", "--auth-token", "x" * 20), "cannot be listened on"),
        (("--cors-origin", "*"), "must look like"),
        (("--auth-token", "with space"), "visible ASCII"),
        (("--auth-token-file", "missing"), "cannot be read"),
        (("--allow-root", "missing"), "not a directory"),
    ],
)
def test_wrong_options(fresh: Shell, words: tuple[str, ...], said: str) -> None:
    """HTTP-START: I03: what cannot work is said in one sentence before anything is opened."""
    done = fresh.run("serve-http", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_port_in_use(fresh: Shell) -> None:
    """HTTP-START: a port that is taken is named, with a way out."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = fresh.run("serve-http", "--port", port)
    assert done.returncode == 2
    assert f"Port {port}" in done.stderr and "in use" in done.stderr and "--port" in done.stderr


def test_token_file(indexed: Shell, tmp_path: Path) -> None:
    """HTTP-TOKEN: a token may lie in a file that only its owner can read; with one, any address may be served."""
    path = tmp_path / "token"
    path.write_text("secret-in-a-file\n")
    path.chmod(stat.S_IRUSR | stat.S_IRGRP)
    done = indexed.run("serve-http", "--auth-token-file", str(path))
    assert done.returncode == 2 and "chmod 600" in done.stderr
    path.chmod(stat.S_IRUSR)
    with serving(indexed, "--auth-token-file", str(path), "--host", "0.0.0.0") as server:
        url = f"http://127.0.0.1:{server.port}/health"
        assert httpx2.get(url).status_code == 401
        assert httpx2.get(url, headers={"authorization": "Bearer secret-in-a-file"}).status_code == 200
        foreign = {"authorization": "Bearer secret-in-a-file", "host": f"0.0.0.0:{server.port}"}
        assert httpx2.get(url, headers=foreign).status_code == 421
        assert "secret-in-a-file" not in server.errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_end_by_signal(indexed: Shell, tmp_path: Path, number: signal.Signals) -> None:
    """HTTP-END: a signal ends the server: calls are answered as cancelled, work stops, nothing is left, exit code 0."""
    with serving(indexed) as server:
        wire = Wire(server)
        wire.open()
        found: list[httpx2.Response] = []
        trace = tmp_path / "trace"
        params = {"name": "compass_work", "arguments": {"seconds": 60, "trace": str(trace)}}
        calling = threading.Thread(target=lambda: found.append(wire.post(request(1, "tools/call", params))))
        calling.start()
        until(trace.exists, bool)
        with httpx2.stream("GET", wire.url, headers=wire.headers, timeout=20) as standing:
            family = find_descendants([server.process.pid], list_processes())
            code, spent = server.end(number)
            "".join(standing.iter_text())
        calling.join(20)
        wire.http.close()
        assert code == 0
        assert spent < 10
        answer = messages(found[0])[-1]["result"]
        assert answer["isError"] and answer["structuredContent"]["error"]["code"] == "cancelled"
        all_gone(family)
        assert "Traceback" not in server.errors and "crashed" not in server.errors


def resident(server: HttpServer) -> int:
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the memory of a process is read from /proc")
def test_client_that_does_not_read(indexed: Shell) -> None:
    """HTTP-SLOW: a client that asks and does not read costs little memory and is cut off; others are served."""
    with serving(indexed, CODECOMPASS_HTTP_WRITE_TIMEOUT_S="2") as server, session(server) as wire:
        big = {"name": "context_work", "arguments": {"echo": "x" * 60_000}}
        body = json.dumps(request(1, "tools/call", big)).encode()
        lines = [f"{name}: {value}" for name, value in wire.headers.items()]
        head = ["POST /mcp HTTP/1.1", f"host: {server.host}:{server.port}", "content-type: application/json",
                f"content-length: {len(body)}", *lines, "", ""]  # fmt: skip
        for number in range(5):
            wire.call(f"warm-{number}", "context_work", echo="x" * 60_000)
        before = resident(server)
        with server.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            deaf.settimeout(1)
            sent = 0
            try:
                for _ in range(2_000):
                    sent += deaf.send("\r\n".join(head).encode() + body)
            except (TimeoutError, OSError):
                pass
            assert resident(server) - before < 64_000_000
            with session(server) as other:
                assert other.ask(1, "ping")["result"] == {}
            until(lambda: "client_does_not_read" in server.errors, bool)
        assert wire.ask("after", "ping")["result"] == {}
        assert sent > 0
