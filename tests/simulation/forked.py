"""Other processes at work on the same index: a prepared process forks one for each order, which may be killed.

Run as a module it reads orders from stdin, one JSON object a line, and answers each with what became of it.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from codecompass.embed.models import ModelChoice, open_model
from codecompass.engine.index import sync
from codecompass.errors import Failure
from codecompass.store.embedded.catalog.index_writer import EmbeddedWriter
from tests.architecture.source import ROOT
from tests.simulation.dispatch_client import Seat, parsing_inline
from tests.simulation.faults import put_back
from tests.simulation.run_limits import Surroundings, turned

PATIENCE_S = 400


PART_ARGUMENTS = 3
"""Arguments of a publish of everything; that of a part also has what is left."""


@dataclass(frozen=True, slots=True)
class Order:
    """One index run, and how it is disturbed; zero means not at all."""

    workspace: str
    ref: str | None = None
    force: bool = False
    kill_at: int = 0
    """It dies at this call of a function, counted over all of them."""
    kill_part: int = 0
    """It dies when so many parts of a first index are published, and others are not."""
    kill_text: int = 0
    """It dies when the text index is durable for this time, before the catalog is."""
    file_bytes: int = 0
    """No file may grow beyond this."""
    handles: int = 0
    """So many more files may be open."""


@dataclass(frozen=True, slots=True)
class Fate:
    """How it ended: `done`, `failed` with the code of the failure, `killed`, or `broken` by something unexpected."""

    end: str
    code: str = ""
    message: str = ""


class Forks:
    """The prepared process, as those who order see it."""

    def __init__(self, root: Path, data: Path, around: Surroundings) -> None:
        told = json.dumps({"root": str(root), "data": str(data), "around": asdict(around)})
        argv = [sys.executable, "-m", "tests.simulation.forked", told]
        self._process = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, order: Order) -> Fate:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process that forks is gone")
        return Fate(**json.loads(line))

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=PATIENCE_S)


def main(told: str) -> None:
    about = json.loads(told)
    around = Surroundings(**about["around"])
    open_model(ModelChoice("bundled" if around.vectors else "none"))  # numpy is loaded once, for all that are forked
    for line in sys.stdin:
        fate = _forked(Order(**json.loads(line)), Path(about["root"]), Path(about["data"]), around)
        sys.stdout.write(json.dumps(asdict(fate)) + "\n")
        sys.stdout.flush()


def _forked(order: Order, root: Path, data: Path, around: Surroundings) -> Fate:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _child(order, root, data, around, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        ended = os.WTERMSIG(status)
        return Fate("killed") if ended == signal.SIGKILL else Fate("broken", message=f"signal {ended}")
    return Fate(**json.loads(said)) if said else Fate("broken", message=f"exit {os.waitstatus_to_exitcode(status)}")


def _child(order: Order, root: Path, data: Path, around: Surroundings, writing: int) -> None:
    signal.alarm(PATIENCE_S)
    try:
        fate = _work(order, root, data, around)
    except Failure as failure:
        fate = Fate("failed", failure.code, failure.message)
    except BaseException as error:  # whatever it is, the one who waits must hear of it
        fate = Fate("broken", type(error).__name__, str(error)[:500])
    sys.setprofile(None)
    os.write(writing, json.dumps(asdict(fate)).encode())
    os._exit(0)


def _work(order: Order, root: Path, data: Path, around: Surroundings) -> Fate:
    with turned(around.knobs), parsing_inline(), put_back(around.fault):
        seat = Seat("fork", root, data, around, watch=False)
        if order.file_bytes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (order.file_bytes, order.file_bytes))
        if order.handles:
            most = len(os.listdir("/proc/self/fd")) + order.handles
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        if order.kill_part:
            _kill_after_part(order.kill_part)
        if order.kill_text:
            _kill_after_text(order.kill_text)
        if order.kill_at:
            sys.setprofile(_killer(order.kill_at))
        seat.index(Path(order.workspace), order.ref, force=order.force)
        return Fate("done")


def _kill_after_part(number: int) -> None:
    """Ends this process, hard, between two parts of a first index."""
    published = 0

    def publish(*arguments: Any) -> object:  # noqa: ANN401 - those of the publish
        nonlocal published
        done = original(*arguments)
        published += 1
        if published == number and len(arguments) > PART_ARGUMENTS:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    original = vars(sync)["_publish"]
    vars(sync)["_publish"] = publish


def _kill_after_text(number: int) -> None:
    """Ends this process, hard, between the commit of a batch's text and that of its rows."""
    commits = 0

    def commit_text(self: EmbeddedWriter) -> None:
        nonlocal commits
        original(self)
        commits += 1
        if commits == number:
            os.kill(os.getpid(), signal.SIGKILL)

    original = vars(EmbeddedWriter)["_commit_text"]
    setattr(EmbeddedWriter, "_commit_text", commit_text)  # noqa: B010 - a method of another


def _killer(count: int) -> Callable[[FrameType, str, Any], None]:
    """Ends this process, hard, at the n-th call that the program makes."""
    calls = 0

    def look(frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401 - as the interpreter gives it
        nonlocal calls
        if event in ("call", "c_call") and "/codecompass/" in frame.f_code.co_filename:
            calls += 1
            if calls == count:
                os.kill(os.getpid(), signal.SIGKILL)

    return look


if __name__ == "__main__":
    main(*sys.argv[1:])
