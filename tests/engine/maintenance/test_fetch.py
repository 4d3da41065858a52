"""One file over the network: from a server that behaves, and from one that does not."""

import hashlib
import socket
import threading
import time
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.fetch.fetch_policy import FetchPolicy
from codecompass.fetch.fetcher import CachedValidators, fetch
from codecompass.model.call import Call, Progress
from tests.engine.maintenance.servers import Behaviour, Request, Server, answer, redirects, sends, serving

BODY = b"".join(b"line %d of the file\n" % number for number in range(4_000))
SHA = hashlib.sha256(BODY).hexdigest()
POLICY = FetchPolicy(private_hosts=("127.0.0.1",), total_s=20, idle_s=5, pause_s=0.01, max_bytes=2**20)
OLD = b"what was there before"


def drip(request: Request, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(200):
        connection.sendall(b"x")
        time.sleep(0.05)


def stall(request: Request, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
    connection.recv(1)  # until the other side gives up


def mute(request: Request, connection: socket.socket) -> None:
    connection.recv(1)


def endless(request: Request, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(1_000):
        connection.sendall(b"y" * 65_536)


def endless_headers(request: Request, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        connection.sendall(b"X-%d: y\r\n" % number)


def early_answers(request: Request, connection: socket.socket) -> None:
    for _ in range(1_000):
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")


def circle(request: Request, connection: socket.socket) -> None:
    other = "/b" if request.target == "/a" else "/a"
    connection.sendall(answer(b"", "302 Found", Location=other))


def ever_on(request: Request, connection: socket.socket) -> None:
    connection.sendall(answer(b"", "301 Moved", Location=f"/{request.number + 1}"))


def slowly(request: Request, connection: socket.socket) -> None:
    for one in answer(BODY)[:300]:
        connection.sendall(bytes([one]))
    connection.sendall(answer(BODY)[300:])


def chunked(frames: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + frames


@dataclass(frozen=True)
class Case:
    """What a server does, and how the fetch must end."""

    behaviour: Behaviour
    code: str
    says: str
    limits: dict[str, float] = field(default_factory=dict)
    sha256: str = ""


CASES = {
    "promises more than it sends": Case(sends(answer(BODY, length=len(BODY) + 10)), "DOWNLOAD_FAILED", "truncated"),
    "cuts the body": Case(sends(answer(BODY)[:-1_000]), "DOWNLOAD_FAILED", "truncated"),
    "drips": Case(drip, "DOWNLOAD_FAILED", "longer than 1 seconds", {"total_s": 1}),
    "stalls": Case(stall, "DOWNLOAD_FAILED", "nothing came for 0.4 seconds", {"idle_s": 0.4}),
    "never answers": Case(mute, "DOWNLOAD_FAILED", "nothing came for 0.4 seconds", {"idle_s": 0.4}),
    "hangs up": Case(lambda *_: None, "DOWNLOAD_FAILED", "could not be fetched"),
    "never ends": Case(endless, "DOWNLOAD_FAILED", "larger than 1048576 bytes"),
    "announces too much": Case(sends(answer(b"", length=10**12)), "DOWNLOAD_FAILED", "larger than"),
    "redirects in a circle": Case(circle, "DOWNLOAD_FAILED", "in a loop"),
    "redirects for ever": Case(ever_on, "DOWNLOAD_FAILED", "more than 5 redirects"),
    "redirects to a file": Case(redirects("file:///etc/passwd"), "FORBIDDEN", "file on this machine"),
    "redirects to metadata": Case(redirects("http://169.254.169.254/latest/"), "FORBIDDEN", "not public"),
    "redirects inside": Case(redirects("http://10.0.0.1/"), "FORBIDDEN", "not public"),
    "redirects by another name": Case(redirects("http://localhost:1/"), "FORBIDDEN", "not public"),
    "redirects to nonsense": Case(redirects("http://[::1"), "DOWNLOAD_FAILED", "an invalid URL"),
    "redirects to another scheme": Case(redirects("ftp://127.0.0.1/x"), "DOWNLOAD_FAILED", "an invalid URL"),
    "packs unasked": Case(sends(answer(b"\x1f\x8b", Content_Encoding="gzip")), "DOWNLOAD_FAILED", "encoding (gzip)"),
    "has huge headers": Case(
        sends(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000 + b"\r\n\r\n"), "DOWNLOAD_FAILED", "not valid HTTP"
    ),
    "has endless headers": Case(endless_headers, "DOWNLOAD_FAILED", "could not be fetched"),
    "answers before the answer": Case(early_answers, "DOWNLOAD_FAILED", "no usable response"),
    "speaks no HTTP": Case(sends(b"SSH-2.0-OpenSSH\r\n"), "DOWNLOAD_FAILED", "not valid HTTP"),
    "frames badly": Case(sends(chunked(b"zz\r\nabc\r\n0\r\n\r\n")), "DOWNLOAD_FAILED", "not valid HTTP"),
    "breaks off a chunk": Case(sends(chunked(b"ff\r\nabc")), "DOWNLOAD_FAILED", "truncated"),
    "gives two lengths": Case(
        sends(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        "DOWNLOAD_FAILED",
        "not valid HTTP",
    ),
    "sends another file": Case(sends(answer(b"x" + BODY)), "DOWNLOAD_VERIFY_FAILED", "SHA-256", sha256=SHA),
    "has nothing there": Case(sends(answer(b"no", "404 Not Found")), "DOWNLOAD_FAILED", "answers 404"),
    "is down": Case(sends(answer(b"", "503 Busy")), "DOWNLOAD_FAILED", "answers 503"),
    "says unchanged, unasked": Case(sends(answer(b"", "304 Not Modified")), "DOWNLOAD_FAILED", "answers 304"),
    "sends a part, unasked": Case(
        sends(answer(b"abc", "206 Partial", Content_Range="bytes 0-2/9")), "DOWNLOAD_FAILED", "another range"
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_server_that_misbehaves(tmp_path: Path, case: Case) -> None:
    """GET-MISBEHAVED, GET-LIMITS, GET-REDIRECTS, GET-ADDRESSES: the failure says what was wrong; the old file stays."""
    target = tmp_path / "kept" / "file.txt"
    target.parent.mkdir()
    target.write_bytes(OLD)
    with serving(case.behaviour) as server:
        url = server.url.replace("/file.txt", "/a") if case.behaviour is circle else server.url
        with pytest.raises(Failure) as raised:
            fetch(url, target, replace(POLICY, **case.limits), Call(), sha256=case.sha256)  # type: ignore[arg-type]
    assert raised.value.code == case.code, raised.value.message
    assert case.says in raised.value.message
    assert raised.value.effective_hint
    assert target.read_bytes() == OLD
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"], "nothing else is left"


FINE: dict[str, Behaviour] = {
    "with a length": sends(answer(BODY)),
    "in chunks": sends(chunked(b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY))),
    "until the connection ends": sends(b"HTTP/1.1 200 OK\r\n\r\n" + BODY),
    "after a redirect": lambda request, connection: connection.sendall(
        answer(BODY) if request.target == "/there" else answer(b"", "307 Over there", Location="/there")
    ),
    "byte by byte at first": slowly,
    "after being busy": lambda request, connection: connection.sendall(
        answer(b"", "503 Busy") if request.number < 2 else answer(BODY)
    ),
    "after hanging up": lambda request, connection: connection.sendall(answer(BODY) if request.number else b""),
}


@pytest.mark.parametrize("behaviour", FINE.values(), ids=list(FINE))
def test_a_server_that_behaves(tmp_path: Path, behaviour: Behaviour) -> None:
    """GET-AGAIN, GET-ATOMIC, GET-HASH: the whole file, hashed, and nothing beside it."""
    told: list[Progress] = []
    with serving(behaviour) as server:
        made = fetch(server.url, tmp_path / "file.txt", POLICY, Call(report=told.append), sha256=SHA)
    assert (made.changed, made.bytes, made.sha256, made.resumed) == (True, len(BODY), SHA, 0)
    assert (tmp_path / "file.txt").read_bytes() == BODY
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]
    assert told[-1].phase == "download" and told[-1].done == len(BODY)
    assert all("proxy" not in name and "cookie" not in name for name in server.requests[0].headers)


def test_an_unchanged_file_is_not_fetched(tmp_path: Path) -> None:
    """GET-CONDITIONAL: by tag and by date; an answer without a tag keeps the one that is known."""

    def behave(request: Request, connection: socket.socket) -> None:
        same = request.headers.get("if-none-match") == '"one"' or "if-modified-since" in request.headers
        connection.sendall(answer(b"", "304 Not Modified") if same else answer(BODY, ETag='"one"'))

    with serving(behave) as server:
        first = fetch(server.url, tmp_path / "file.txt", POLICY, Call())
        assert first.etag == '"one"'
        for known in (
            CachedValidators(etag=first.etag),
            CachedValidators(last_modified="Thu, 01 Jan 2026 00:00:00 GMT"),
        ):
            again = fetch(server.url, tmp_path / "file.txt", POLICY, Call(), known=known)
            assert not again.changed and again.etag == known.etag
        assert fetch(server.url, tmp_path / "file.txt", POLICY, Call(), known=CachedValidators(etag='"old"')).changed


def test_a_cancelled_download_ends_at_once(tmp_path: Path) -> None:
    """GET-LIMITS: while the server is silent."""
    call = Call()
    with serving(stall) as server:
        threading.Timer(0.3, call.cancelled.set).start()
        started = time.monotonic()
        with pytest.raises(Failure, match="cancelled"):
            fetch(server.url, tmp_path / "file.txt", POLICY, call)
    assert time.monotonic() - started < 4 < POLICY.idle_s


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """GET-ATOMIC: a second download of the same file does not write into the first."""
    reached, go_on = threading.Event(), threading.Event()

    def behave(request: Request, connection: socket.socket) -> None:
        connection.sendall(answer(BODY)[:1_000])
        reached.set()
        go_on.wait(10)
        connection.sendall(answer(BODY)[1_000:])

    with serving(behave) as server:
        thread = threading.Thread(target=fetch, args=(server.url, tmp_path / "file.txt", POLICY, Call()))
        thread.start()
        assert reached.wait(10)
        with pytest.raises(Failure, match="another process"):
            fetch(server.url, tmp_path / "file.txt", POLICY, Call())
        go_on.set()
        thread.join(10)
    assert (tmp_path / "file.txt").read_bytes() == BODY


def secret_places(server: Server) -> tuple[str, ...]:
    return (f"{server.url}?token=hunter2", f"{server.url}?a=1&X-Signature=hunter2#sha256=hunter2")


def test_no_secret_of_a_url_is_told(tmp_path: Path) -> None:
    """GET-SECRETS: neither of a query nor of a redirect."""

    def behave(request: Request, connection: socket.socket) -> None:
        if "again" in request.target:
            connection.sendall(answer(b"", "404 Gone"))
        else:
            connection.sendall(answer(b"", "302 Found", Location="/again?key=hunter2"))

    with serving(behave) as server:
        for url in secret_places(server):
            with pytest.raises(Failure) as raised:
                fetch(url, tmp_path / "file.txt", POLICY, Call())
            assert "hunter2" not in repr(raised.value) + raised.value.effective_hint
            assert "404" in raised.value.message
    with pytest.raises(Failure) as raised:
        fetch("https://user:hunter2@example.org/x", tmp_path / "file.txt", POLICY, Call())
    assert raised.value.code == "INVALID_REQUEST" and "hunter2" not in repr(raised.value)


# -- servers that say when to come again -------------------------------------------------------------------------------


def busy(status: str, when: str, date: str = "") -> Behaviour:
    """Refuses the first request and says when to ask again."""

    def behave(request: Request, connection: socket.socket) -> None:
        refusal = answer(b"later", status, Retry_After=when, Date=date)
        connection.sendall(refusal if request.number == 0 else answer(BODY))

    return behave


@pytest.mark.parametrize("status", ["429 Too Many", "503 Busy"])
def test_a_server_that_says_when(tmp_path: Path, status: str) -> None:
    """GET-RETRY-AFTER: it is asked again when it said, though nothing may come for less than that; not before."""
    policy = replace(POLICY, idle_s=0.5)
    began = time.monotonic()
    with serving(busy(status, "1")) as server:
        assert fetch(server.url, tmp_path / "file.txt", policy, Call(), sha256=SHA).bytes == len(BODY)
    assert time.monotonic() - began >= 1.0 and len(server.requests) == 2


def test_a_server_that_names_the_moment(tmp_path: Path) -> None:
    """GET-RETRY-AFTER: a date counts from the server's own clock, however wrong that is."""
    now = time.time() + 50_000
    began = time.monotonic()
    with serving(busy("503 Busy", formatdate(now + 1, usegmt=True), formatdate(now, usegmt=True))) as server:
        fetch(server.url, tmp_path / "file.txt", POLICY, Call(), sha256=SHA)
    assert 1.0 <= time.monotonic() - began < 10


@pytest.mark.parametrize("when", ["3600", "999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_server_that_wants_too_long(tmp_path: Path, when: str) -> None:
    """GET-RETRY-AFTER, GET-LIMITS: what cannot end in time is given up at once, and the answer says how long it is."""
    began = time.monotonic()
    with serving(busy("429 Too Many", when)) as server, pytest.raises(Failure) as raised:
        fetch(server.url, tmp_path / "file.txt", POLICY, Call())
    assert time.monotonic() - began < 5 and len(server.requests) == 1
    assert raised.value.code == "DOWNLOAD_FAILED" and "answers 429" in raised.value.message
    assert int(str(raised.value.details["retryAfterSeconds"])) >= 3_599
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("when", ["-5", "soon", "", "1e9", "0", "Thu, 01 Jan 1970 00:00:00 GMT", "\u00b3"])
def test_a_server_that_says_nothing_of_use(tmp_path: Path, when: str) -> None:
    """GET-RETRY-AFTER: a moment that is past or none leaves the usual pause."""
    with serving(busy("503 Busy", when)) as server:
        assert fetch(server.url, tmp_path / "file.txt", POLICY, Call()).bytes == len(BODY)
    assert len(server.requests) == 2


def test_the_time_of_the_call_counts(tmp_path: Path) -> None:
    """GET-RETRY-AFTER, GET-LIMITS: a call that ends sooner does not begin to wait; one that is cancelled stops."""
    with serving(busy("503 Busy", "8")) as server, pytest.raises(Failure, match="answers 503"):
        fetch(server.url, tmp_path / "file.txt", POLICY, Call(deadline=time.monotonic() + 3))
    call = Call()
    threading.Timer(0.3, call.cancelled.set).start()
    began = time.monotonic()
    with serving(busy("503 Busy", "10")) as server, pytest.raises(Failure) as raised:
        fetch(server.url, tmp_path / "file.txt", POLICY, call)
    assert raised.value.code == "CANCELLED" and time.monotonic() - began < 5
