"""The only module that spawns processes: short commands, conversations, and detached jobs.

Every child leads its own session, so its pid is also the number of its group and the whole tree can be ended. Children
get the environment they are given and nothing of ours. Our ends of the pipes are closed before a child is waited for: a
grandchild that keeps a pipe open must not keep us.
"""

import os
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from queue import SimpleQueue
from typing import IO, NamedTuple, Self

from codecompass.errors import Failure
from codecompass.repo.pipes import close_pipes, exchange, has_exited, pipe_of
from codecompass.repo.proctree import end_group, has_proc, kill_group, read_stat, taskkill_argv

GRACE = 2.0

# Runs in the child before the job: dies with the parent, and checks that the parent did not die before it asked.
# A shim and not `preexec_fn`, which is unsafe in a process with threads. The pid stays the same through exec.
_FOLLOW = (
    "import ctypes, os, sys\n"
    "ctypes.CDLL(None).prctl(1, 9)\n"
    "if os.getppid() != int(sys.argv[1]): os._exit(143)\n"
    "os.execvpe(sys.argv[2], sys.argv[2:], os.environ)\n"
)


class Completed(NamedTuple):
    """How a command ended and what it wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Spawned(NamedTuple):
    """A running process, named so that a later process with the same number is not mistaken for it."""

    pid: int
    start_time: str


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | None = None,
    input: bytes = b"",
    timeout: float = 30.0,
    max_output: int = 64 * 2**20,
) -> Completed:
    """Run a command to its end; on time-out or too much output its whole group is ended and Failure raised."""
    process = _popen(argv, env, cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        if os.name == "nt":
            stdout, stderr = process.communicate(input, timeout)
        else:
            stdout, stderr = exchange(process, input, time.monotonic() + timeout, max_output)
            # The leader is not reaped yet, so the group's number is still ours: end what it left behind.
            kill_group(process.pid)
    except (TimeoutError, subprocess.TimeoutExpired):
        raise Failure("TOOL_TIMEOUT", f"{argv[0]} ran longer than {timeout:g} s and was stopped") from None
    finally:
        _end(process)
    return Completed(process.wait(), stdout, stderr)


class Conversation:
    """A long-lived child that answers requests on its pipes; stderr is discarded. Not thread-safe: its owner locks."""

    def __init__(self, process: subprocess.Popen[bytes], timeout: float) -> None:
        self._process = process
        self._timeout = timeout
        self._buffer = bytearray()

    @classmethod
    def start(cls, argv: Sequence[str], env: Mapping[str, str], *, timeout: float = 30.0) -> Self:
        """Start the child; each later call may wait for it `timeout` seconds."""
        devnull = subprocess.DEVNULL
        process = _popen(argv, env, None, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=devnull)
        return cls(process, timeout)

    @property
    def pid(self) -> int:
        """The child's pid, which is also its group."""
        return self._process.pid

    def write(self, data: bytes) -> None:
        """Send a request. Keep unanswered requests under the size of a pipe (64 KiB), or both sides wait for ever."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(pipe_of(self._process.stdin).fileno(), rest) :]
        except (OSError, ValueError):
            raise self._ended() from None

    def read_exact(self, size: int) -> bytes:
        """The next `size` bytes of the child's answer."""
        while len(self._buffer) < size:
            self._fill()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def readline(self, limit: int = 65536) -> bytes:
        """The next line without its line break; a line over `limit` is a failure, not a reason to grow."""
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
        """End the child and its group; may be called twice."""
        _end(self._process)

    def _fill(self) -> None:
        stdout = pipe_of(self._process.stdout)
        if stdout.closed:
            raise self._ended()
        if os.name != "nt":
            with selectors.DefaultSelector() as selector:
                selector.register(stdout, selectors.EVENT_READ)
                if not selector.select(self._timeout):
                    raise Failure("TOOL_TIMEOUT", f"a helper process was silent for {self._timeout:g} s")
        data = os.read(stdout.fileno(), 2**20)
        if not data:
            raise self._ended()
        self._buffer += data

    def _ended(self) -> Failure:
        return Failure("INTERNAL", "a helper process ended in the middle of a conversation")


def spawn_detached(
    argv: Sequence[str], env: Mapping[str, str], cwd: str | None, log_path: str, *, follow_parent: bool = True
) -> Spawned:
    """Start a job in its own session, stderr appended to a log; with `follow_parent` it dies when this process dies."""
    command = list(argv)
    if follow_parent and sys.platform == "linux":
        command = [sys.executable, "-I", "-S", "-c", _FOLLOW, str(os.getpid()), *command]
    answer: SimpleQueue[Spawned | BaseException] = SimpleQueue()

    def keep() -> None:
        # Linux sends the parent-death signal when the *thread* that forked ends, so this thread outlives the job; it
        # also reaps it, so that no zombie stays.
        try:
            with open(log_path, "ab", buffering=0) as log:
                devnull = subprocess.DEVNULL
                process = _popen(command, env, cwd, stdin=devnull, stdout=devnull, stderr=log)
        except (OSError, Failure) as error:
            answer.put(error)
            return
        answer.put(Spawned(process.pid, process_start_time(process.pid)))
        process.wait()

    threading.Thread(target=keep, name=f"keeper of {argv[0]}", daemon=True).start()
    spawned = answer.get()
    if isinstance(spawned, BaseException):
        raise spawned
    return spawned


def stop_tree(pid: int, start_time: str, grace: float = GRACE) -> None:
    """End a job and all its descendants: TERM, `grace` seconds, KILL. Does nothing to a later owner of the same pid."""
    if pid <= 1:
        return
    now = process_start_time(pid)
    if now and start_time and now != start_time:
        return
    if os.name == "nt":
        subprocess.run(taskkill_argv(pid), capture_output=True, check=False)
    else:
        end_group(pid, grace)


def process_start_time(pid: int) -> str:
    """An opaque word for the moment a process started; empty when there is no such process."""
    if has_proc():
        stat = read_stat(pid)
        return stat.start_time if stat else ""
    if os.name == "nt":
        return ""
    return _ps(pid, "lstart=")


def is_alive(pid: int, start_time: str) -> bool:
    """Whether that very process still runs; a zombie does not."""
    if has_proc():
        stat = read_stat(pid)
        return stat is not None and stat.state not in "ZX" and stat.start_time == start_time
    return _ps(pid, "lstart=") == start_time != "" and not _ps(pid, "stat=").startswith("Z")


def _ps(pid: int, column: str) -> str:
    argv = ["/bin/ps", "-o", column, "-p", str(pid)]
    result = subprocess.run(argv, capture_output=True, check=False, env={"LC_ALL": "C"})
    return result.stdout.decode("utf-8", "replace").strip()


def _popen(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    *,
    stdin: int,
    stdout: int,
    stderr: int | IO[bytes],
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(argv),
            env=dict(env),
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            bufsize=0,
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        if cwd is not None and not os.path.isdir(cwd):
            raise Failure("INTERNAL", f"the working directory {cwd} is gone") from error
        raise Failure("CAPABILITY_MISSING", f"the program {argv[0]} cannot be started: {error.strerror}") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close our pipes, end the group if its leader still runs, reap the leader. Harmless when all is over."""
    close_pipes(process)
    if process.returncode is not None:
        return
    if os.name == "nt":
        if process.poll() is None:
            subprocess.run(taskkill_argv(process.pid), capture_output=True, check=False)
    elif has_exited(process):
        kill_group(process.pid)
    else:
        end_group(process.pid, GRACE)
    process.wait()
