"""Child processes: run short commands, start detached jobs, and end both with everything they started.

The façade of the supervisor, which alone spawns processes and documents the guarantees. Children get exactly the
environment that is passed, nothing of ours. We close our ends of the pipes before we wait for a child, and never wait
for end-of-file: a grandchild that holds a pipe open must not block us.
"""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codecompass.errors import Failure
from codecompass.repo.process.child_pipes import StopCheck, exchange
from codecompass.repo.process.process_tree import ProcessTree, has_proc, read_proc_words, read_stat
from codecompass.repo.process.subreaper import is_subreaper
from codecompass.repo.process.supervisor import (
    DEVNULL,
    GRACE,
    PIPE,
    ChildProcess,
    Supervisor,
    replace_process,
    run_system_program,
)

__all__ = [
    "GRACE",
    "SUPERVISOR",
    "CompletedCommand",
    "SpawnedProcess",
    "StopCheck",
    "end_children",
    "replace_process",
    "is_alive",
    "read_start_time",
    "run",
    "spawn_detached",
    "stop_tree",
    "configure_supervisor",
]

SUPERVISOR = Supervisor()
"""The only supervisor of this process."""


class CompletedCommand(NamedTuple):
    """Exit code and output of a command."""

    returncode: int
    stdout: bytes
    stderr: bytes


class SpawnedProcess(NamedTuple):
    """A running process, identified so that a later process with the same pid is not mistaken for it."""

    pid: int
    start_time: str


def configure_supervisor(grace: float) -> None:
    """Set the grace period and adopt orphans of our children; only for programs that start no other children."""
    SUPERVISOR.grace = grace
    SUPERVISOR.adopt()


def end_children() -> None:
    """End every child at once, even if a thread waits for it: for a program that exits."""
    SUPERVISOR.end_all()


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | None = None,
    input: bytes = b"",
    timeout: float = 30.0,
    max_output: int = 64 * 2**20,
    stop: StopCheck | None = None,
    spawns_nothing: bool = False,
) -> CompletedCommand:
    """Run a command and end all processes that it left. Failure on timeout, too much output, or `stop`.

    `spawns_nothing` is for programs that are known to start no process; see the supervisor.
    """
    child = SUPERVISOR.start(argv, env, cwd, stdin=PIPE, stdout=PIPE, stderr=PIPE, spawns_nothing=spawns_nothing)
    try:
        if os.name == "nt":
            stdout, stderr = child.communicate(input, timeout)
        else:
            stdout, stderr = exchange(child.process, input, time.monotonic() + timeout, max_output, stop)
    except TimeoutError:
        # Only the name: the path of a program is not shown.
        name = os.path.basename(argv[0])
        raise Failure("TOOL_TIMEOUT", f"{name} ran longer than {round(timeout, 2):g} s and was stopped") from None
    finally:
        SUPERVISOR.end(child)
    return CompletedCommand(SUPERVISOR.end(child), stdout, stderr)


def spawn_detached(argv: Sequence[str], env: Mapping[str, str], cwd: str | None, log_path: str) -> SpawnedProcess:
    """Start a job that outlives the call but not this process; its stderr is appended to a log.

    The returned process may be the job's subreaper, which lives exactly as long as the job.
    """

    def start() -> ChildProcess:
        with open(log_path, "ab", buffering=0) as log:
            return SUPERVISOR.start(argv, env, cwd, stdin=DEVNULL, stdout=DEVNULL, stderr=log, spawns_nothing=False)

    child = SUPERVISOR.start_on_lasting_thread(start)
    # A thread reaps it, so that no zombie remains.
    threading.Thread(target=SUPERVISOR.wait, args=(child,), name=f"keeper of {argv[0]}", daemon=True).start()
    return SpawnedProcess(child.pid, child.start_time)


def stop_tree(pid: int, start_time: str, grace: float | None = None) -> None:
    """End a job and all its descendants: TERM, `grace` seconds, KILL. Ignores a later process with the same pid."""
    if pid <= 1:
        return
    now = read_start_time(pid)
    if now and start_time and now != start_time:
        return
    SUPERVISOR.stop(ProcessTree(pid, start_time or now, subreaper_pid=_find_subreaper(pid)), grace)


def _find_subreaper(pid: int) -> int:
    """Find the subreaper of a job, given the pid of either; 0 where there is none."""
    stat = read_stat(pid)
    lineage = (pid, stat.parent) if stat is not None else ()
    return next((one for one in lineage if is_subreaper(read_proc_words(one, "cmdline"))), 0)


def read_start_time(pid: int) -> str:
    """Return an opaque start time of a process; empty when there is no such process."""
    if has_proc():
        stat = read_stat(pid)
        return stat.start_time if stat else ""
    if os.name == "nt":
        return ""
    return _run_ps(pid, "lstart=")


def is_alive(pid: int, start_time: str) -> bool:
    """Whether exactly that process still runs; a zombie does not count."""
    if has_proc():
        stat = read_stat(pid)
        return stat is not None and not stat.has_ended and stat.start_time == start_time
    return _run_ps(pid, "lstart=") == start_time != "" and not _run_ps(pid, "stat=").startswith("Z")


def _run_ps(pid: int, column: str) -> str:
    done = run_system_program(["/bin/ps", "-o", column, "-p", str(pid)])
    return done.stdout.decode("utf-8", "replace").strip()
