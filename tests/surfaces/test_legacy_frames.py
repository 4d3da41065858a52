"""The reader of frames: correct ones, wrong ones, and the way back to the next (corpus B)."""

import json
import os
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.surfaces.mcp.frames import MAX_HEADER, BadFrame, read_frames
from codecompass.surfaces.mcp.wire import TooLong
from tests.surfaces.casefile import check, load_cases
from tests.surfaces.conftest import Shell
from tests.surfaces.framed import frame, start_peer
from tests.surfaces.stdio_client import Peer

CASES = load_cases("frames")
PING = frame(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')


@pytest.fixture(scope="module")
def shared(indexed: Shell, request: pytest.FixtureRequest) -> Peer:
    peer = start_peer(indexed, "legacy")
    request.addfinalizer(peer.kill)
    peer.open()
    return peer


@pytest.fixture
def unopened(indexed: Shell, request: pytest.FixtureRequest) -> Peer:
    peer = start_peer(indexed, "legacy", "--no-prewarm")
    request.addfinalizer(peer.kill)
    return peer


@pytest.mark.parametrize("name", CASES)
def test_each_frame_gets_its_answers(shared: Peer, name: str) -> None:
    """LEGACY-FRAMES: as the table says, and the next frame is read."""
    shared.send_raw(CASES[name].data)
    check(shared, CASES[name], eager=True)
    assert not any(b"secret" in seen for seen in shared.seen), "B21"


def test_bytes_may_come_one_by_one(shared: Peer) -> None:
    """LEGACY-FRAMES: B19."""
    for byte in PING:
        shared.send_raw(bytes([byte]))
    assert shared.answer(1)["result"] == {}


@pytest.mark.parametrize(
    "first",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        b"GET / HTTP/1.1\n",
        b'Content-Length: 40\n\n{"jsonrpc":"2.0","id":1,"method":"ping"}',
    ],
)
def test_another_framing_is_given_up(unopened: Peer, first: bytes) -> None:
    """MCP-NO-SWITCH: B20: a client that never sends a frame learns so at once, in words; the server ends cleanly."""
    unopened.send_raw(first)
    error = unopened.read()["error"]
    assert error["code"] == -32700 and "without --mcp-mode legacy" in error["message"]
    assert unopened.process.wait(10) == 0
    [line] = unopened.errors.splitlines()
    assert json.loads(line)["event"] == "framing_lost"


def test_an_endless_header_is_given_up(unopened: Peer) -> None:
    """LEGACY-FRAMES: B13."""
    unopened.open()
    unopened.send_raw(b"X: " + b"x" * (MAX_HEADER + 10))
    assert "longer than 65536" in unopened.read()["error"]["message"]
    assert unopened.process.wait(10) == 0


def test_the_cap_is_a_setting(indexed: Shell, request: pytest.FixtureRequest) -> None:
    """LEGACY-FRAMES, MCP-MEMORY: mcp.maxBufferBytes bounds a message, in both framings; one byte less passes."""
    for mode in ("sdk", "legacy"):
        peer = start_peer(indexed, mode, "--no-prewarm", CODECOMPASS_MCP_MAX_BUFFER_BYTES="65536")
        request.addfinalizer(peer.kill)
        body = '{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":"{}"}}}}'
        fits = 65_536 - len(body.format(""))
        peer.put(body.format("x" * fits).encode())
        assert peer.read()["result"] == {}
        peer.put(body.format("x" * (fits + 1)).encode())
        assert "65536" in peer.read()["error"]["message"]
        assert peer.is_alive()


def read_all(data: bytes, cap: int = 1000, step: int = 7) -> list[bytes | TooLong | BadFrame]:
    """What the reader makes of these bytes, which come in small pieces."""
    ours, theirs = os.pipe()

    def write() -> None:
        with os.fdopen(theirs, "wb", buffering=0) as pipe:
            for start in range(0, len(data), step):
                pipe.write(data[start : start + step])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = list(read_frames(ours, cap))
        while os.read(ours, 65_536):
            time.sleep(0)
        return found
    finally:
        writer.join()
        os.close(ours)


@given(st.lists(st.binary(max_size=200), max_size=5), st.integers(1, 300))
@settings(max_examples=100, deadline=None)
def test_what_is_framed_is_read(bodies: list[bytes], step: int) -> None:
    """LEGACY-FRAMES: any bytes, cut anywhere."""
    assert read_all(b"".join(frame(body) for body in bodies), step=step) == bodies


@given(st.binary(max_size=300), st.binary(max_size=50))
@settings(max_examples=200, deadline=None)
def test_garbage_never_hides_the_next_frame(garbage: bytes, body: bytes) -> None:
    """LEGACY-FRAMES: after a good frame and any garbage the next good frame is found."""
    found = read_all(frame(b"first") + garbage + frame(body))
    assert found[0] == b"first"
    if b"content-length" not in garbage.lower():
        assert found[-1] == body
        assert all(isinstance(item, BadFrame) and not item.final for item in found[1:-1])
        assert len(found) == (3 if garbage else 2)


def test_garbage_without_end_is_given_up() -> None:
    """LEGACY-FRAMES: no header within the size of a message: an end, said once."""
    found = read_all(frame(b"{}") + b"\x00\n" * 2000, step=500)
    assert [type(item) for item in found] == [bytes, BadFrame, BadFrame]
    assert isinstance(found[-1], BadFrame) and found[-1].final
