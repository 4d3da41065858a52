"""What every request passes: addresses, origins, tokens, sizes. Raw bytes in, one answer out, and the server lives."""

import json
import socket
import time
from collections.abc import Iterator

import httpx2
import pytest

from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import ACCEPT, META, HttpServer, read_answer, request, serving
from tests.surfaces.work import until

TOKEN = "a-token-of-24-characters"
PING = json.dumps(request(1, "ping")).encode()
LIST = json.dumps(request(1, "tools/list")).encode()


def get(path: bytes, *headers: bytes, host: bytes = b"host: @HOST@", method: bytes = b"GET") -> bytes:
    return b"\r\n".join([method + b" " + path + b" HTTP/1.1", *([host] if host else []), *headers, b"", b""])


def post(path: bytes, body: bytes, *headers: bytes, kind: bytes = b"application/json") -> bytes:
    length = b"content-length: %d" % len(body)
    accept = b"accept: application/json, text/event-stream"
    return get(path, accept, b"content-type: " + kind, length, *headers, method=b"POST") + body


CASES: dict[str, tuple[bytes, int]] = {
    "own address": (get(b"/health"), 200),
    "H01 localhost": (get(b"/health", host=b"host: localhost:@PORT@"), 200),
    "H01 upper case": (get(b"/health", host=b"host: LOCALHOST:@PORT@"), 200),
    "H01 v6 literal": (get(b"/health", host=b"host: [::1]:@PORT@"), 200),
    "H01 evil": (get(b"/health", host=b"host: evil.test"), 421),
    "H01 evil with our port": (get(b"/health", host=b"host: evil.test:@PORT@"), 421),
    "H01 looks like us": (get(b"/health", host=b"host: 127.0.0.1.evil.test:@PORT@"), 421),
    "H01 dot at the end": (get(b"/health", host=b"host: localhost.:@PORT@"), 421),
    "H01 any address": (get(b"/health", host=b"host: 0.0.0.0:@PORT@"), 421),
    "H01 other port": (get(b"/health", host=b"host: 127.0.0.1:1"), 421),
    "H01 no port": (get(b"/health", host=b"host: 127.0.0.1"), 421),
    "H01 user info": (get(b"/health", host=b"host: a@127.0.0.1:@PORT@"), 421),
    "H01 missing": (get(b"/health", host=b""), 400),
    "H01 two": (get(b"/health", b"host: evil.test"), 400),
    "H01 empty": (get(b"/health", host=b"host: "), 421),
    "H02 own": (get(b"/health", b"origin: http://@HOST@"), 200),
    "H02 evil": (get(b"/health", b"origin: https://evil.test"), 403),
    "H02 null": (get(b"/health", b"origin: null"), 403),
    "H02 looks like us": (get(b"/health", b"origin: http://localhost.evil.test:@PORT@"), 403),
    "H02 other port": (get(b"/health", b"origin: http://127.0.0.1:1"), 403),
    "H02 two": (get(b"/health", b"origin: http://@HOST@", b"origin: https://evil.test"), 403),
    "H02 evil at mcp": (post(b"/mcp", PING, b"origin: https://evil.test"), 403),
    "H02 evil at nothing": (get(b"/nothing", b"origin: https://evil.test"), 403),
    "H02 evil at metrics": (get(b"/metrics", b"origin: https://evil.test"), 403),
    "H03 preflight of a stranger": (
        get(b"/mcp", b"origin: https://evil.test", b"access-control-request-method: POST", method=b"OPTIONS"), 403,
    ),
    "H03 preflight without an origin": (get(b"/mcp", b"access-control-request-method: POST", method=b"OPTIONS"), 405),
    "H04 text": (post(b"/mcp", PING, kind=b"text/plain"), 415),
    "H05 form": (post(b"/mcp", b"a=b", kind=b"application/x-www-form-urlencoded"), 415),
    "H05 multipart": (post(b"/mcp", b"", kind=b"multipart/form-data; boundary=x"), 415),
    "H04 charset": (post(b"/mcp", PING, kind=b"application/json; charset=utf-8"), 400),
    "H07 declared too long": (get(b"/mcp", b"content-type: application/json", b"content-length: 13000000",
                                  method=b"POST"), 413),
    "H07 length twice": (post(b"/mcp", PING, b"content-length: 7"), 400),
    "H07 length and chunks": (post(b"/mcp", PING, b"transfer-encoding: chunked"), 400),
    "H07 length no number": (get(b"/mcp", b"content-length: x", method=b"POST"), 400),
    "H07 length negative": (get(b"/mcp", b"content-length: -1", method=b"POST"), 400),
    "H08 gzip": (post(b"/mcp", b"\x1f\x8b", b"content-encoding: gzip"), 415),
    "H09 long header": (get(b"/health", b"x-long: " + b"a" * 100_000), 431),
    "H09 many headers": (get(b"/health", *[b"x-%d: y" % number for number in range(1000)]), 431),
    "H09 NUL": (get(b"/health", b"x-nul: a\x00b"), 400),
    "H09 long address": (get(b"/" + b"a" * 9_000), 414),
    "H10 two slashes": (get(b"//health"), 404),
    "H10 dots": (get(b"/%2e%2e/health"), 404),
    "H10 encoded slash": (get(b"/static/..%2f..%2fetc/passwd"), 404),
    "H10 absolute": (get(b"http://evil.test/health"), 404),
    "H11 TRACE": (get(b"/health", method=b"TRACE"), 405),
    "H11 CONNECT": (get(b"/health", method=b"CONNECT"), 405),
    "H11 lower case": (get(b"/health", method=b"get"), 405),
    "H11 PUT": (get(b"/mcp", b"content-length: 0", method=b"PUT"), 405),
    "H11 HEAD": (get(b"/health", b"connection: close", method=b"HEAD"), 200),
    "H12 array": (post(b"/mcp", b"[" + PING + b"]"), 400),
    "H12 NaN": (post(b"/mcp", b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}'), 400),
    "H12 broken": (post(b"/mcp", b"{"), 400),
    "H12 empty": (post(b"/mcp", b""), 400),
    "H12 deep": (post(b"/mcp", b"[" * 100_000), 400),
    "H13 accept": (get(b"/mcp", b"accept: text/html", b"content-type: application/json",
                       b"content-length: %d" % len(PING), method=b"POST") + PING, 406),
    "H14 h2c": (get(b"/health", b"connection: upgrade, http2-settings", b"upgrade: h2c", b"http2-settings: AA"), 200),
    "H14 garbage": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "H21 websocket": (get(b"/mcp", b"connection: Upgrade", b"upgrade: websocket", b"sec-websocket-version: 13",
                          b"sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=="), 400),
    "H22 range": (get(b"/health", b"range: bytes=0-3"), 200),
    "no session": (post(b"/mcp", LIST), 400),
    "unknown session": (post(b"/mcp", LIST, b"mcp-session-id: nobody"), 404),
    "GET without a session": (get(b"/mcp", b"accept: text/event-stream"), 400),
    "DELETE without a session": (get(b"/mcp", method=b"DELETE"), 400),
    "DELETE of an unknown session": (get(b"/mcp", b"mcp-session-id: nobody", method=b"DELETE"), 404),
}  # fmt: skip


@pytest.fixture(scope="module")
def server(indexed: Shell) -> Iterator[HttpServer]:
    with serving(indexed, CODECOMPASS_HTTP_HEADER_TIMEOUT_S="1", CODECOMPASS_HTTP_BODY_TIMEOUT_S="1") as started:
        yield started
        assert started.is_alive()
        assert "Traceback" not in started.errors
        assert "crashed" not in started.errors


@pytest.fixture(scope="module")
def guarded(indexed: Shell) -> Iterator[HttpServer]:
    words = ("--host", "localhost", "--cors-origin", "https://page.example.org", "--allow-host", "code.example.org")
    with serving(indexed, *words, CODECOMPASS_HTTP_AUTH_TOKEN=TOKEN) as started:
        yield started
        assert TOKEN not in started.errors


@pytest.mark.parametrize("name", CASES)
def test_cases(server: HttpServer, name: str) -> None:
    """HTTP-GATE: hostile and odd requests get the status they deserve, in the words of the door they came to."""
    sent, status = CASES[name]
    got, headers, body = server.raw(sent.replace(b"@PORT@", str(server.port).encode()))
    assert got == status, body
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    if status >= 400:
        assert headers["content-type"] == "application/json"
        said = json.loads(body)
        assert (said.get("ok") is False and set(said["_meta"]) == META) or said["error"]["code"] in (-32700, -32600)
        assert b"Traceback" not in body and b".py" not in body


def test_every_answer_forbids_everything(server: HttpServer) -> None:
    """HTTP-HEADERS: pages get nothing to run, frame or remember."""
    for path in ("/health", "/metrics", "/nothing"):
        headers = httpx2.get(server.url + path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_health(server: HttpServer) -> None:
    """HTTP-HEALTH: the envelope of the API, how long the server runs, and what it speaks."""
    body = httpx2.get(f"{server.url}/health").json()
    assert body["ok"] is True
    assert body["result"]["uptimeMs"] >= 0
    assert set(body["_meta"]) == META
    assert body["result"]["schemaVersion"] == body["_meta"]["schemaVersion"]
    missing = httpx2.get(f"{server.url}/nothing").json()
    assert (missing["ok"], missing["code"]) == (False, "NOT_FOUND")
    assert missing["error"] == {"code": "NOT_FOUND", "message": missing["message"]}
    assert missing["_meta"]["requestId"] != body["_meta"]["requestId"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": f"Bearer {TOKEN}"}, 200),
        ({"authorization": f"bearer {TOKEN}"}, 200),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"authorization": f"Bearer {TOKEN[:-1]}"}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": TOKEN}, 401),
        ({"authorization": "Bearer"}, 401),
        ({"x-auth-token": TOKEN}, 401),
    ],
)
def test_token(guarded: HttpServer, headers: dict[str, str], status: int) -> None:
    """HTTP-TOKEN: H06: a bearer token in its header, nowhere else; without it every door stays shut."""
    for path in ("/health", "/metrics"):
        got = httpx2.get(guarded.url + path, headers=headers)
        assert got.status_code == status
        if status == 401:
            assert got.headers["www-authenticate"].startswith("Bearer")
            assert got.json()["code"] == "UNAUTHORIZED"
    assert httpx2.get(f"{guarded.url}/health?token={TOKEN}&access_token={TOKEN}").status_code == 401
    assert httpx2.get(f"{guarded.url}/nothing").status_code == 401
    at_mcp = httpx2.post(f"{guarded.url}/mcp", json=request(1, "ping"), headers=ACCEPT)
    assert (at_mcp.status_code, at_mcp.json()["error"]["data"]["code"]) == (401, "UNAUTHORIZED")


def test_listed_page(guarded: HttpServer) -> None:
    """HTTP-CORS: H03: a listed page may ask and read, its own name is said and never a star; no other page may."""
    page = {"origin": "https://page.example.org"}
    ask = page | {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    preflight = httpx2.request("OPTIONS", f"{guarded.url}/mcp", headers=ask)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "https://page.example.org"
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    got = httpx2.get(f"{guarded.url}/health", headers=page | {"authorization": f"Bearer {TOKEN}"})
    assert got.status_code == 200
    assert got.headers["access-control-allow-origin"] == "https://page.example.org"
    assert got.headers["vary"] == "Origin"
    assert httpx2.get(f"{guarded.url}/health", headers=page).status_code == 401
    stranger = {"origin": "https://page.example.org.evil.test", "authorization": f"Bearer {TOKEN}"}
    assert httpx2.get(f"{guarded.url}/health", headers=stranger).status_code == 403


def test_every_address_of_a_name(guarded: HttpServer) -> None:
    """HTTP-BIND: a name is served on every address it stands for, and said to be served there."""
    addresses = {str(place[0]) for *_, place in socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM)}
    for address in addresses:
        with socket.create_connection((address, guarded.port), timeout=20) as sock:
            sock.sendall(get(b"/health").replace(b"@HOST@", b"localhost:%d" % guarded.port))
            assert read_answer(sock)[0] == 401
    assert f"http://localhost:{guarded.port}/mcp" in guarded.errors


def test_configured_name(guarded: HttpServer) -> None:
    """HTTP-HOST: a name that was configured is ours, others are not."""
    token = {"authorization": f"Bearer {TOKEN}"}
    for host, status in (("code.example.org", 200), (f"code.example.org:{guarded.port}", 200),
                         ("code.example.org:1", 421), ("other.example.org", 421)):  # fmt: skip
        assert httpx2.get(f"{guarded.url}/health", headers=token | {"host": host}).status_code == status


def test_endless_chunks(server: HttpServer) -> None:
    """HTTP-BODY: H07: a body that never ends is refused at the limit, and its sender is let go."""
    with server.socket() as sock:
        head = get(b"/mcp", b"content-type: application/json", b"transfer-encoding: chunked", method=b"POST")
        sock.sendall(head.replace(b"@HOST@", f"{server.host}:{server.port}".encode()))
        chunk = b"10000\r\n" + b"a" * 65_536 + b"\r\n"
        for _ in range(80):
            sock.sendall(chunk)
        status, _, body = read_answer(sock)
        assert (status, json.loads(body)["error"]["data"]["code"]) == (413, "INVALID_REQUEST")
        with pytest.raises(OSError):
            for _ in range(10_000):
                sock.sendall(chunk)


def test_slow_clients_are_let_go(server: HttpServer) -> None:
    """HTTP-TIMEOUTS: silence, half a header and half a body each have an end."""
    half_body = get(b"/mcp", b"content-type: application/json", b"content-length: 10", method=b"POST") + b"{"
    host = f"{server.host}:{server.port}".encode()
    with server.socket() as silent, server.socket() as half, server.socket() as body:
        half.sendall(b"GET /health HTTP/1.1\r\nhost: " + host + b"\r\nx-slow: ")
        body.sendall(half_body.replace(b"@HOST@", host))
        assert silent.recv(1) == b""
        assert half.recv(1) == b""
        assert read_answer(body)[0] == 408
        assert body.recv(1) == b""


def test_dripping_header_is_let_go(server: HttpServer) -> None:
    """HTTP-TIMEOUTS: a byte now and then does not start the clock again."""
    with server.socket() as sock:
        sock.sendall(b"GET /health HTTP/1.1\r\n")
        began = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - began < 15:
                sock.sendall(b"a")
                time.sleep(0.1)


def test_pipelining_and_old_http(server: HttpServer) -> None:
    """HTTP-GATE: H14: requests in a row are answered in order; HTTP/1.0 is answered and closed."""
    host = f"{server.host}:{server.port}".encode()
    with server.socket() as sock:
        sock.sendall((get(b"/health") + get(b"/nothing") + get(b"/health", b"connection: close"))
                     .replace(b"@HOST@", host))  # fmt: skip
        data = b""
        while chunk := sock.recv(65_536):
            data += chunk
    assert [part[:3] for part in data.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404", b"200"]
    with server.socket() as sock:
        sock.sendall(b"GET /health HTTP/1.0\r\nhost: " + host + b"\r\n\r\n")
        assert read_answer(sock)[0] == 200


def test_metrics_are_served(server: HttpServer) -> None:
    """HTTP-METRICS: the counters of the process in the format of Prometheus."""
    got = httpx2.get(f"{server.url}/metrics")
    assert got.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "codecompass_queue_limit 64" in got.text.splitlines()


def test_more_connections_than_descriptors(indexed: Shell) -> None:
    """HTTP-CONNECTIONS: F12: with 64 descriptors and 150 connections the server neither fails nor floods its log."""
    limited = ("sh", "-c", 'ulimit -n 64; exec "$@"', "limited")
    with serving(indexed, prefix=limited) as server:
        held = [socket.create_connection((server.host, server.port)) for _ in range(150)]
        refused = 0
        try:
            for sock in reversed(held):
                sock.settimeout(0.05)
                try:
                    refused += sock.recv(12) == b"HTTP/1.1 503"
                except TimeoutError:
                    continue
        finally:
            for sock in held:
                sock.close()
        assert refused > 50
        until(server.is_alive, bool)
        assert len(server.errors.splitlines()) < 20, server.errors[:2_000]
