"""Child pipes: feed and read a child process without waiting for end-of-file alone. Spawns nothing."""

import os
import selectors
import time
from collections.abc import Callable
from typing import IO, Protocol

from codecompass.errors import Failure

_CHUNK = 2**18
_TICK = 0.05
_EXCERPT_BYTES = 500
"""Bytes shown of the start and the end of an output that was too long."""
StopCheck = Callable[[], object]
"""Called twenty times a second: a true result, or a Failure that it raises, ends the child."""


class PipedProcess(Protocol):
    """The pid, exit code and pipes of a started child."""

    pid: int
    returncode: int | None
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None


def require_pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """Return the pipe of a child that was started with one."""
    if stream is None:
        raise Failure("INTERNAL", "a child process has no pipe")
    return stream


def close_pipes(process: PipedProcess) -> None:
    """Close our ends, so that neither side can wait for the other."""
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue


def exchange(
    process: PipedProcess, data: bytes, deadline: float, limit: int, stop: StopCheck | None = None
) -> tuple[bytes, bytes]:
    """Feed stdin and collect stdout and stderr until the child has ended; TimeoutError when that is too late."""
    stdin, stdout, stderr = (require_pipe(stream) for stream in (process.stdin, process.stdout, process.stderr))
    collected = {stdout.fileno(): bytearray(), stderr.fileno(): bytearray()}
    names = dict(zip(collected, ("stdout", "stderr"), strict=True))
    rest = memoryview(data)
    with selectors.DefaultSelector() as selector:
        for stream, event in (
            (stdin, selectors.EVENT_WRITE),
            (stdout, selectors.EVENT_READ),
            (stderr, selectors.EVENT_READ),
        ):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, event)
        while selector.get_map():
            exited = has_exited(process)
            _check_stop(deadline, stop)
            ready = selector.select(0 if exited else _TICK)
            if exited and not any(key.fd in collected for key, _ in ready):
                # A grandchild may hold the pipes open forever; the output of the child itself has been read.
                break
            for key, _ in ready:
                if key.fd in collected:
                    done = not _collect(key.fd, collected[key.fd], limit, names[key.fd])
                else:
                    rest = _feed(key.fd, rest)
                    done = not rest
                    if done:
                        stdin.close()
                if done:
                    selector.unregister(key.fileobj)
    pause = 0.001
    while not has_exited(process):
        _check_stop(deadline, stop)
        time.sleep(pause)
        pause = min(pause * 1.5, _TICK / 2)
    out, err = collected.values()
    return bytes(out), bytes(err)


def _check_stop(deadline: float, stop: StopCheck | None) -> None:
    if stop is not None and stop():
        raise Failure("CANCELLED", "The command was stopped: its result is no longer needed.")
    if time.monotonic() > deadline:
        raise TimeoutError


def has_exited(process: PipedProcess) -> bool:
    """Whether the child has ended, without reaping it: until then its pid and its group cannot be reused."""
    if process.returncode is not None:
        return True
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _feed(fd: int, rest: memoryview) -> memoryview:
    try:
        return rest[os.write(fd, rest[:_CHUNK]) :] if rest else rest
    except BlockingIOError:
        return rest
    except OSError:
        # The child has closed its stdin.
        return rest[:0]


def _collect(fd: int, into: bytearray, limit: int, name: str) -> bool:
    try:
        chunk = os.read(fd, _CHUNK)
    except BlockingIOError:
        return True
    into += chunk
    if len(into) > limit:
        head, tail = (
            part.decode("utf-8", "replace") for part in (into[:_EXCERPT_BYTES], into[limit - _EXCERPT_BYTES : limit])
        )
        raise Failure(
            "INTERNAL",
            f"a command wrote more than {limit} bytes to its {name} and was stopped",
            {"stream": name, "limit": limit, "head": head, "tail": tail if limit > _EXCERPT_BYTES else ""},
            hint="Ask for less at once.",
        )
    return bool(chunk)
