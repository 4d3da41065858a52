"""Fetching what broke off: the rest of the same file, or everything anew."""

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.fetch.fetcher import fetch
from codecompass.model.call import Call
from tests.engine.maintenance.servers import Behaviour, Request, answer, serving
from tests.engine.maintenance.test_fetch import BODY, POLICY, SHA


def resumable(etag: str = '"one"', changed: bool = False) -> Callable[[], tuple[Behaviour, list[str]]]:
    """Breaks off the first answer in the middle; then serves ranges, of another file if it `changed`."""

    def make() -> tuple[Behaviour, list[str]]:
        asked: list[str] = []
        middle = len(BODY) // 2

        def behave(request: Request, connection: socket.socket) -> None:
            asked.append(request.headers.get("range", ""))
            if request.number == 0:
                connection.sendall(answer(BODY, ETag=etag)[:middle])
                return
            start = int((asked[-1] or "bytes=0-")[6:-1])
            if changed or request.headers.get("if-range") != etag:
                connection.sendall(answer(BODY, ETag='"two"'))
                return
            spans = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
            connection.sendall(answer(BODY[start:], "206 Partial", ETag=etag, Content_Range=spans))

        return behave, asked

    return make


def test_a_broken_download_goes_on(tmp_path: Path) -> None:
    """GET-RESUME: within one call, and in a later one."""
    behave, asked = resumable()()
    with serving(behave) as server:
        made = fetch(server.url, tmp_path / "file.txt", POLICY, Call(), sha256=SHA)
    assert made.resumed > 0 and asked == ["", f"bytes={made.resumed}-"]
    assert (tmp_path / "file.txt").read_bytes() == BODY
    behave, asked = resumable()()
    with serving(behave) as server:
        with pytest.raises(Failure):
            fetch(server.url, tmp_path / "late.txt", replace(POLICY, attempts=1), Call())
        part = (tmp_path / ".late.txt.part").stat().st_size
        assert part > 0 and not (tmp_path / "late.txt").exists()
        made = fetch(server.url, tmp_path / "late.txt", POLICY, Call())
    assert made.resumed == part and (tmp_path / "late.txt").read_bytes() == BODY


def wrong_range(request: Request, connection: socket.socket) -> None:
    """After a break, sends a range that was not asked for; then behaves."""
    if request.number == 0:
        connection.sendall(answer(BODY, ETag='"one"')[:2_000])
    elif request.number == 1:
        connection.sendall(answer(BODY[:100], "206 Partial", ETag='"one"', Content_Range=f"bytes 0-99/{len(BODY)}"))
    else:
        connection.sendall(answer(BODY))


def no_range(request: Request, connection: socket.socket) -> None:
    """After a break, knows nothing of ranges; then behaves."""
    if request.number == 0:
        connection.sendall(answer(BODY, ETag='"one"')[:2_000])
    elif "range" in request.headers:
        connection.sendall(answer(b"", "416 Range Not Satisfiable"))
    else:
        connection.sendall(answer(BODY))


def forged_range(request: Request, connection: socket.socket) -> None:
    """After a break, says that the file is the same and sends another's rest; then behaves."""
    if request.number == 0:
        connection.sendall(answer(BODY, ETag='"one"')[:2_000])
    elif request.number == 1:
        start = int(request.headers["range"][6:-1])
        rest = b"z" * (len(BODY) - start)
        spans = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        connection.sendall(answer(rest, "206 Partial", ETag='"one"', Content_Range=spans))
    else:
        connection.sendall(answer(BODY))


def ignored_proof(request: Request, connection: socket.socket) -> None:
    """After a break, sends the rest of the file that is there now, whatever If-Range says; then behaves."""
    if request.number == 0:
        connection.sendall(answer(BODY.upper(), ETag='"one"')[:2_000])
    elif "range" in request.headers:
        start = int(request.headers["range"][6:-1])
        spans = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        connection.sendall(answer(BODY[start:], "206 Partial", ETag='"two"', Content_Range=spans))
    else:
        connection.sendall(answer(BODY, ETag='"two"'))


def ignored_date(request: Request, connection: socket.socket) -> None:
    """The same with dates for tags."""
    first, second = "Mon, 05 Jan 2026 10:00:00 GMT", "Tue, 06 Jan 2026 10:00:00 GMT"
    if request.number == 0:
        connection.sendall(answer(BODY.upper(), Last_Modified=first)[:2_000])
    elif "range" in request.headers:
        start = int(request.headers["range"][6:-1])
        spans = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        connection.sendall(answer(BODY[start:], "206 Partial", Last_Modified=second, Content_Range=spans))
    else:
        connection.sendall(answer(BODY, Last_Modified=second))


@pytest.mark.parametrize("behave", [ignored_proof, ignored_date], ids=["tags", "dates"])
def test_a_server_that_does_not_compare(tmp_path: Path, behave: Behaviour) -> None:
    """GET-RESUME: the rest is taken only where it says itself that it is of the same file, hash or no hash."""
    with serving(behave) as server:
        made = fetch(server.url, tmp_path / "file.txt", POLICY, Call())
    assert made.resumed == 0 and (tmp_path / "file.txt").read_bytes() == BODY


@pytest.mark.parametrize(
    "behave",
    [resumable(changed=True)()[0], resumable('W/"weak"')()[0], wrong_range, no_range, forged_range],
    ids=["the file changed", "a weak tag", "another range", "no ranges", "a forged rest"],
)
def test_never_the_rest_of_another_file(tmp_path: Path, behave: Behaviour) -> None:
    """GET-RESUME: what cannot be proved the same is fetched from the start."""
    with serving(behave) as server:
        made = fetch(server.url, tmp_path / "file.txt", POLICY, Call(), sha256=SHA)
    assert made.resumed == 0 and (tmp_path / "file.txt").read_bytes() == BODY
