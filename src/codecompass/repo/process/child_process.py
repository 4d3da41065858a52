"""Processes: short commands, detached jobs, and how both are ended with everything they started.

The façade of the supervisor, which alone spawns and which says what is guaranteed. Children get the environment they
are given and nothing of ours. Our ends of the pipes are closed before a child is waited for, and the end of a pipe is
never waited for: a grandchild that keeps one open must not keep us.
"""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codecompass.errors import Failure
from codecompass.repo.process.child_pipes import Stop, exchange
from codecompass.repo.process.process_tree import Tree, has_proc, read_stat, read_words
from codecompass.repo.process.subreaper import is_warden
from codecompass.repo.process.supervisor import DEVNULL, GRACE, PIPE, Child, Supervisor, system_program

__all__ = [
    "GRACE", "SUPERVISOR", "Completed", "Spawned", "Stop", "end_children", "is_alive", "process_start_time", "run",
    "spawn_detached", "stop_tree", "supervise",
]  # fmt: skip

SUPERVISOR = Supervisor()
"""The children of a process are one set, whoever in it starts them."""


class Completed(NamedTuple):
    """How a command ended and what it wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Spawned(NamedTuple):
    """A running process, named so that a later process with the same number is not mistaken for it."""

    pid: int
    start_time: str


def supervise(grace: float) -> None:
    """For programs that are this package's alone: orphans of our children become ours; how long a child is asked."""
    SUPERVISOR.grace = grace
    SUPERVISOR.adopt()


def end_children() -> None:
    """End every child at once, whoever waits for it: for a program that is leaving."""
    SUPERVISOR.end_all()


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | None = None,
    input: bytes = b"",
    timeout: float = 30.0,
    max_output: int = 64 * 2**20,
    stop: Stop | None = None,
    leaf: bool = False,
) -> Completed:
    """Run a command to its end, and end all that it left. Too late, too much, or told to `stop`: Failure instead.

    `leaf` is for programs that are known to start nothing; see the supervisor.
    """
    child = SUPERVISOR.start(argv, env, cwd, stdin=PIPE, stdout=PIPE, stderr=PIPE, leaf=leaf)
    try:
        if os.name == "nt":
            stdout, stderr = child.communicate(input, timeout)
        else:
            stdout, stderr = exchange(child.process, input, time.monotonic() + timeout, max_output, stop)
    except TimeoutError:
        # By its name alone: where programs lie is nobody's business.
        name = os.path.basename(argv[0])
        raise Failure("TOOL_TIMEOUT", f"{name} ran longer than {round(timeout, 2):g} s and was stopped") from None
    finally:
        SUPERVISOR.end(child)
    return Completed(SUPERVISOR.end(child), stdout, stderr)


def spawn_detached(argv: Sequence[str], env: Mapping[str, str], cwd: str | None, log_path: str) -> Spawned:
    """Start a job that outlives the call but not this process; its stderr is appended to a log.

    What is named may be the job's warden, which stands and falls with the job.
    """

    def start() -> Child:
        with open(log_path, "ab", buffering=0) as log:
            return SUPERVISOR.start(argv, env, cwd, stdin=DEVNULL, stdout=DEVNULL, stderr=log, leaf=False)

    child = SUPERVISOR.lastingly(start)
    # Somebody has to reap it, so that no zombie stays.
    threading.Thread(target=SUPERVISOR.wait, args=(child,), name=f"keeper of {argv[0]}", daemon=True).start()
    return Spawned(child.pid, child.start_time)


def stop_tree(pid: int, start_time: str, grace: float | None = None) -> None:
    """End a job and all its descendants: TERM, `grace` seconds, KILL. Does nothing to a later owner of the same pid."""
    if pid <= 1:
        return
    now = process_start_time(pid)
    if now and start_time and now != start_time:
        return
    SUPERVISOR.stop(Tree(pid, start_time or now, anchor=_anchor(pid)), grace)


def _anchor(pid: int) -> int:
    """The warden of a job, whichever of the two is named; 0 where there is none."""
    stat = read_stat(pid)
    lineage = (pid, stat.parent) if stat is not None else ()
    return next((one for one in lineage if is_warden(read_words(one, "cmdline"))), 0)


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
        return stat is not None and not stat.ended and stat.start_time == start_time
    return _ps(pid, "lstart=") == start_time != "" and not _ps(pid, "stat=").startswith("Z")


def _ps(pid: int, column: str) -> str:
    done = system_program(["/bin/ps", "-o", column, "-p", str(pid)])
    return done.stdout.decode("utf-8", "replace").strip()
