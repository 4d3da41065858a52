"""A client that stops reading, and a parent that dies: what a server does when nobody is there."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from codecompass.surfaces.mcp.outbox import Outbox
from tests.surfaces.conftest import Shell
from tests.surfaces.framed import MODES, frame
from tests.surfaces.work import until

ROOT = Path(__file__).parents[2]
LIMIT = 65_536


class Sleeper:
    """A client whose reading can be put off: writes now, reads everything later."""

    def __init__(self, shell: Shell, mode: str) -> None:
        self.mode = mode
        command = [sys.executable, "-m", "tests.surfaces.workbench", "serve-mcp", "--mcp-mode", mode, "--no-prewarm",
                   "--workspace", str(shell.cwd)]  # fmt: skip
        env = shell.env | {"CODECOMPASS_MCP_MAX_BUFFER_BYTES": str(LIMIT), "CODECOMPASS_MCP_WORKERS": "16"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=pipe, stdout=pipe)

    def send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(frame(body) if self.mode == "legacy" else body + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, object]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if self.mode == "legacy":
            assert self.process.stdout.readline() == b"\r\n"
            line = self.process.stdout.read(int(line.removeprefix(b"Content-Length: ")))
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for end in (self.process.stdin, self.process.stdout):
            assert end is not None
            try:
                end.close()
            except BrokenPipeError:
                continue


def wait_until_idle(pid: int) -> None:
    """Wait until no thread of a process runs or wants to, ten times in a row: all it had to write is queued."""
    if not Path("/proc/self/task").exists():
        time.sleep(2)
        return
    idle = 0

    def look() -> int:
        nonlocal idle
        stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
        idle = idle + 1 if all(stat.rpartition(")")[2].split()[0] == "S" for stat in stats) else 0
        return idle

    until(look, lambda times: times >= 10)


def call(client: Sleeper, request_id: object, **arguments: object) -> None:
    meta = {"progressToken": f"t{request_id}"}
    params = {"name": "cleats_work", "arguments": arguments, "_meta": meta}
    client.send(id=request_id, method="tools/call", params=params)


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_stops_reading(indexed: Shell, mode: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """MCP-SLOW-READER: M14: cancels still work, new calls are refused, and each request is answered once, later."""
    client = Sleeper(indexed, mode)
    request.addfinalizer(client.close)
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    client.send(id="open", method="initialize", params=opening)
    assert client.read()["id"] == "open"
    client.send(method="notifications/initialized")
    # More than the pipe and the bound together hold, all under way before the first is done.
    for n in range(12):
        call(client, n, seconds=2, echo="x" * 16_384, trace=str(tmp_path / f"{n}"))
    traces = [tmp_path / f"{n}" for n in range(12)]

    def under_way() -> list[Path]:
        return [path for path in traces if not path.exists() or "finished" not in path.read_text()]

    until(under_way, lambda left: not left)
    wait_until_idle(client.process.pid)
    for n in range(100, 110):
        call(client, n, trace=str(tmp_path / f"{n}"))
    client.send(method="$/cancelRequest", params={"id": "nobody"})
    client.send(id="ping", method="ping")
    client.send(id="list", method="tools/list")
    time.sleep(0.5)
    assert not [path for path in tmp_path.iterdir() if len(path.name) == 3], "refused calls are not run"
    answers: dict[object, dict[str, object]] = {}
    while len(answers) < 12 + 10 + 2:
        message = client.read()
        if "id" in message:
            assert message["id"] not in answers
            answers[message["id"]] = message
    for n in range(100, 110):
        error = answers[n]["error"]
        assert isinstance(error, dict) and error["code"] == -32001 and error["data"]["code"] == "QUEUE_OVERLOADED"
        assert set(error["data"]["details"]["queue"]) >= {"max", "size"}
    assert all("result" in answers[n] for n in range(12))
    call(client, "again")
    while (message := client.read()).get("id") != "again":
        assert "id" not in message
    assert "result" in message, "once it reads again, calls are taken again"


@pytest.mark.parametrize("mode", MODES)
def test_a_cancel_is_heard_while_nobody_reads(
    indexed: Shell, mode: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """MCP-SLOW-READER: M14: the work stops although its answer cannot be written yet."""
    client = Sleeper(indexed, mode)
    request.addfinalizer(client.close)
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    client.send(id="open", method="initialize", params=opening)
    call(client, "work", seconds=60, trace=str(tmp_path / "work"))
    for n in range(12):
        call(client, n, echo="x" * 16_384)
    until(lambda: (tmp_path / "work").exists(), bool)
    client.send(method="$/cancelRequest", params={"id": "work"})
    until(lambda: (tmp_path / "work").read_text().split()[0], lambda word: word == "stopped")
    waiting: set[object] = {"open", "work", *range(12)}
    while waiting:
        message = client.read()
        if "id" in message:
            waiting.remove(message["id"])


def test_what_may_be_missed_is_missed_first() -> None:
    """MCP-SLOW-READER: progress stops long before answers fill the bound, and answers are never lost."""
    ours, theirs = os.pipe()
    outbox = Outbox(theirs, 1 << 20, lambda: None)
    try:
        for n in range(300):
            outbox.send(b"a%d " % n + b"x" * 4000)
            outbox.offer(b"p%d " % n + b"x" * 400)
        assert outbox.is_full and outbox.size < 2 * (1 << 20)
        blocked = threading.Thread(target=lambda: outbox.send(b"last"))
        blocked.start()
        blocked.join(5)
        assert not blocked.is_alive(), "nobody who sends has to wait"
        with os.fdopen(ours, "rb") as reader:
            lines = []
            while (line := reader.readline()) != b"last\n":
                lines.append(line)
        answers = [line.split()[0] for line in lines if line.startswith(b"a")]
        assert answers == [b"a%d" % n for n in range(300)]
        assert 0 < sum(line.startswith(b"p") for line in lines) < 60
        outbox.close(5)
    finally:
        os.close(theirs)


def test_reading_stops_when_refusals_alone_pass_the_bound() -> None:
    """MCP-SLOW-READER: whoever reads requests waits then, and goes on when there is room, or the outbox breaks."""
    for reads in (True, False):
        ours, theirs = os.pipe()
        broken = threading.Event()
        outbox = Outbox(theirs, 65_536, broken.set)
        for _ in range(60):
            outbox.send(b"x" * 4000, of_call=True)
        outbox.wait_for_room()  # answers of calls do not make it wait: cancels must be heard
        for _ in range(20):
            outbox.send(b"x" * 4000)
        waiting = threading.Thread(target=outbox.wait_for_room)
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        if reads:
            with os.fdopen(ours, "rb") as reader:
                for _ in range(80):
                    reader.readline()
                waiting.join(5)
        else:
            os.close(ours)
            assert broken.wait(5)
            waiting.join(5)
        assert not waiting.is_alive()
        outbox.close(5)
        os.close(theirs)


PARENT = """
import subprocess, sys, time
subprocess.Popen(sys.argv[3:], stdin=int(sys.argv[1]), stdout=int(sys.argv[2]))
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there a process keeps the number of its dead parent")
@pytest.mark.parametrize("mode", MODES)
def test_a_server_ends_with_its_parent(indexed: Shell, mode: str) -> None:
    """MCP-ORPHAN: although its stdin stays open in another process, here in this one."""
    server_reads, we_write = os.pipe()
    we_read, server_writes = os.pipe()
    command = [sys.executable, "-m", "codecompass", "serve-mcp", "--no-prewarm", "--mcp-mode", mode]
    words = [sys.executable, "-c", PARENT, str(server_reads), str(server_writes), *command]
    parent = subprocess.Popen(words, cwd=indexed.cwd, env=indexed.env, pass_fds=[server_reads, server_writes])
    os.close(server_reads)
    os.close(server_writes)
    try:
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        os.write(we_write, frame(ping) if mode == "legacy" else ping + b"\n")
        assert os.read(we_read, 1000), "it answers"
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        ended = threading.Event()

        def read_to_the_end() -> None:
            while os.read(we_read, 1000):
                continue
            ended.set()

        threading.Thread(target=read_to_the_end, daemon=True).start()
        assert ended.wait(20), "its end closes the pipe"
    finally:
        parent.kill()
        parent.wait()
        os.close(we_write)
        os.close(we_read)
