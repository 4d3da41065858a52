"""Worker process: a long-lived child that answers requests on its pipes."""

import os
import selectors
from collections.abc import Mapping, Sequence
from typing import Self

from codecompass.errors import Failure
from codecompass.repo.process.child_pipes import require_pipe
from codecompass.repo.process.child_process import SUPERVISOR
from codecompass.repo.process.supervisor import DEVNULL, PIPE, ChildProcess


class WorkerProcess:
    """A child with request and response pipes; stderr is discarded. Not thread-safe except `abort`: the owner locks."""

    def __init__(self, child: ChildProcess, timeout: float) -> None:
        self._child = child
        self._process = child.process
        self._timeout = timeout
        self._buffer = bytearray()

    @classmethod
    def start(
        cls, argv: Sequence[str], env: Mapping[str, str], *, timeout: float = 30.0, spawns_nothing: bool = False
    ) -> Self:
        """Start the child; each later call waits at most `timeout` seconds. See the supervisor for `spawns_nothing`."""
        # The calling thread may end before the child does.
        child = SUPERVISOR.start_on_lasting_thread(
            lambda: SUPERVISOR.start(
                argv, env, None, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, spawns_nothing=spawns_nothing
            )
        )
        return cls(child, timeout)

    @property
    def pid(self) -> int:
        """The child's pid, which is also its group."""
        return self._process.pid

    def write(self, data: bytes) -> None:
        """Send a request. Unanswered requests must fit in a pipe (64 KiB), or both sides wait forever."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(require_pipe(self._process.stdin).fileno(), rest) :]
        except (OSError, ValueError):
            raise self._make_ended_failure() from None

    def read_exact(self, size: int) -> bytes:
        """Read the next `size` bytes of the child's answer."""
        while len(self._buffer) < size:
            self._fill()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def readline(self, limit: int = 65536) -> bytes:
        """Read the next line without its line break; a line longer than `limit` is a failure."""
        while True:
            at = self._buffer.find(b"\n", 0, limit)
            if at >= 0:
                line = bytes(self._buffer[:at])
                del self._buffer[: at + 1]
                return line
            if len(self._buffer) >= limit:
                raise Failure("INTERNAL", f"a helper process sent a line of over {limit} bytes")
            self._fill()

    def close(self) -> None:
        """End the child and its tree; may be called twice."""
        SUPERVISOR.end(self._child)

    def abort(self) -> None:
        """Kill the child from any thread: the thread that uses it gets a failure and closes it."""
        SUPERVISOR.kill(self._child)

    def _fill(self) -> None:
        stdout = require_pipe(self._process.stdout)
        if stdout.closed:
            raise self._make_ended_failure()
        if os.name != "nt":
            with selectors.DefaultSelector() as selector:
                selector.register(stdout, selectors.EVENT_READ)
                if not selector.select(self._timeout):
                    raise Failure("TOOL_TIMEOUT", f"a helper process was silent for {self._timeout:g} s")
        data = os.read(stdout.fileno(), 2**20)
        if not data:
            raise self._make_ended_failure()
        self._buffer += data

    def _make_ended_failure(self) -> Failure:
        return Failure("INTERNAL", "a helper process ended before it answered")
