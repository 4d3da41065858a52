"""Supervisor: start every child of this process and leave nothing of it behind. The only module that spawns.

Guarantees, and how they are kept:

- A child leads a session of its own, so its pid is also its group. Ending it means TERM to every process of its tree, a
  grace period, then KILL until none is left. Its tree is: its descendants, its session and group, and all processes
  with its mark (see `process_tree`); they are searched for repeatedly while the tree is being ended.
- A *guarded* child, the default, runs under a subreaper (see `subreaper`). On Linux nothing then outlives it: no
  descendant can leave the subreaper's tree by forking, opening a session or clearing its environment; and nothing
  outlives us, even if we are killed. The exceptions: a process of another user, which we may not signal, and a kill of
  the subreaper itself at the same moment.
- A program that is known to start no process (git's readers, our parse workers: `spawns_nothing`) runs without a
  subreaper, which costs about 20 ms. If it leaves a process anyway and this process adopts orphans (`adopt`), the
  orphan becomes our child: it is left alone while it has the mark of a running child, and otherwise ended in a sweep,
  which follows the end of a child; for unguarded children at most every few seconds. Orphans of guarded children go to
  their subreapers, so a sweep cannot hit them.
- Elsewhere than on Linux: the group, and on Windows what `taskkill /T` finds.
"""

import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, Any, NoReturn, TypeVar

from codecompass.errors import Failure
from codecompass.repo.process.child_pipes import close_pipes, has_exited
from codecompass.repo.process.process_tree import (
    MARK_VARIABLE,
    ProcessTree,
    ProcStat,
    join_marks,
    list_processes,
    read_marks,
    read_stat,
)
from codecompass.repo.process.subreaper import ADOPT_ORPHANS, build_subreaper_command, call_prctl
from codecompass.repo.process.termination import end_tree, kill_group
from codecompass.system.windows_processes import NEW_GROUP, SystemProgramOutput, kill_by_taskkill

GRACE = 2.0
PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
_REAP_S = 1.0
_SWEEP_EVERY_S = 5.0
_KILL_TIMEOUT_S = 5.0
"""Only a process stuck in the kernel lives this long after SIGKILL."""
_SUBREAPER_EXIT_S = 0.3
"""Seconds to wait for a subreaper to exit by itself when its tree has ended."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A process that we started and have not reaped."""

    process: subprocess.Popen[bytes]
    start_time: str
    mark: str
    guarded: bool

    @property
    def pid(self) -> int:
        return self.process.pid

    def communicate(self, data: bytes, timeout: float) -> tuple[bytes, bytes]:
        """Feed and read it on systems that cannot select on pipes; TimeoutError after `timeout` seconds."""
        try:
            return self.process.communicate(data, timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None

    def build_tree(self) -> ProcessTree:
        return ProcessTree(self.pid, self.start_time, self.mark, subreaper_pid=self.pid if self.guarded else 0)


def get_platform_options(platform: str) -> dict[str, Any]:
    """Return the options of Popen that give a child its own group on a platform."""
    return {"creationflags": NEW_GROUP} if platform == "win32" else {"start_new_session": True}


class Supervisor:
    """Starts and ends the children of this process. Thread-safe."""

    def __init__(self, platform: str = sys.platform) -> None:
        self._platform = platform
        self._lock = threading.RLock()
        self._sweeping = threading.Lock()
        self._children: dict[int, ChildProcess] = {}
        self._adopting = False
        self._spawner = ThreadPoolExecutor(1, "spawner")
        """One thread, which starts when it is first needed and lives as long as the process."""
        self._outer_marks: frozenset[str] | None = None
        self._swept_at = 0.0
        self.grace = GRACE

    def adopt(self) -> bool:
        """Adopt orphans of our children; only for a process that starts children through this supervisor alone."""
        self._adopting = self._platform == "linux" and call_prctl(ADOPT_ORPHANS, 1)
        return self._adopting

    # -- starting --------------------------------------------------------------------------------------------------

    def start(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None,
        *,
        stdin: int,
        stdout: int,
        stderr: int | IO[bytes],
        spawns_nothing: bool,
    ) -> ChildProcess:
        """Start a child. Unless it spawns nothing it gets a subreaper, and the calling thread must outlive it."""
        guarded = not spawns_nothing and self._platform == "linux"
        mark = secrets.token_hex(8)
        command = list(argv)
        if guarded:
            _require_program(argv[0], env)
            command = build_subreaper_command(sys.executable, command)
        options = get_platform_options(self._platform)
        # A child must not be taken for an orphan, or reaped as one, before it is in the table.
        with self._lock:
            if self._outer_marks is None:
                self._outer_marks = read_marks(os.getpid())
            try:
                process = subprocess.Popen(
                    command,
                    env={**env, MARK_VARIABLE: join_marks(self._outer_marks, mark)},
                    cwd=cwd,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    bufsize=0,
                    **options,
                )
            except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
                if cwd is not None and not os.path.isdir(cwd):
                    raise Failure("INTERNAL", f"the working directory {cwd} is gone") from error
                raise _make_start_failure(argv[0], error.strerror or "") from error
            stat = read_stat(process.pid)
            child = ChildProcess(process, stat.start_time if stat else "", mark, guarded)
            self._children[process.pid] = child
        return child

    def start_on_lasting_thread(self, make: Callable[[], T]) -> T:
        """Call `make` in a thread that never ends: the parent-death signal follows the *thread* that forked."""
        return self._spawner.submit(make).result()

    # -- ending ----------------------------------------------------------------------------------------------------

    def end(self, child: ChildProcess, grace: float | None = None) -> int:
        """Close our pipes, end the tree, reap the child; return its exit code. May be called again."""
        process = child.process
        close_pipes(process)
        if process.returncode is None:
            over = self._platform != "win32" and has_exited(process)
            if not over:
                self._stop(child.build_tree(), self.grace if grace is None else grace)
            elif child.guarded and self._was_killed(child):
                end_tree(child.build_tree(), 0.0)
            elif not child.guarded and self._platform != "win32":
                # The leader is not reaped yet, so the group number cannot be reused: end the rest of the group.
                kill_group(child.pid)
            _wait_for_exit(process)
            self._remove_child(child)
            if not over or child.guarded:
                self.sweep()
            else:
                self._sweep_soon()
        return process.returncode

    def wait(self, child: ChildProcess) -> None:
        """Wait until a child ends, then end the rest of its tree."""
        if os.name != "nt":
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        else:
            child.process.wait()
        self.end(child)

    def stop(self, tree: ProcessTree, grace: float | None = None) -> None:
        """End a tree whose leader is reaped elsewhere."""
        with self._lock:
            known = self._children.get(tree.pid)
        if known is not None and known.start_time == tree.start_time:
            tree = known.build_tree()
        self._stop(tree, self.grace if grace is None else grace)
        self.sweep()

    def end_all(self) -> None:
        """End every child at once, before this process exits."""
        with self._lock:
            left = list(self._children.values())
        for child in left:
            self.kill(child)

    def kill(self, child: ChildProcess) -> None:
        """Kill a child's tree at once, from any thread; the thread that started it reaps it."""
        self._stop(child.build_tree(), 0.0)

    def _stop(self, tree: ProcessTree, grace: float) -> None:
        if self._platform == "win32":
            kill_by_taskkill(tree.pid, run_system_program)
            return
        end_tree(tree, grace)
        if tree.subreaper_pid:
            _stop_subreaper(tree.subreaper_pid)

    def _was_killed(self, child: ChildProcess) -> bool:
        """Whether a subreaper was killed: otherwise it has ended its tree before itself."""
        ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return ended is not None and ended.si_code != os.CLD_EXITED

    def _remove_child(self, child: ChildProcess) -> None:
        with self._lock:
            if self._children.get(child.pid) is child:
                del self._children[child.pid]

    # -- orphans ---------------------------------------------------------------------------------------------------

    def sweep(self) -> None:
        """End adopted orphans whose child has ended, and reap those that have ended themselves."""
        if not self._adopting:
            return
        with self._sweeping:
            until = time.monotonic() + _REAP_S
            while (left := self._find_orphans()) and time.monotonic() < until:
                for pid, stat in left.items():
                    end_tree(ProcessTree(pid, stat.start_time), 0.0)
                time.sleep(0.002)

    def _sweep_soon(self) -> None:
        """Sweep in the background every few seconds, after an unguarded child, which normally leaves nothing."""
        if not self._adopting or time.monotonic() - self._swept_at < _SWEEP_EVERY_S:
            return
        self._swept_at = time.monotonic()
        self._spawner.submit(self.sweep)

    def _find_orphans(self) -> dict[int, ProcStat]:
        """Find adopted processes that belong to no running child; reap those that have ended."""
        with self._lock:
            here, session = os.getpid(), os.getsid(0)
            found = {}
            for pid, stat in list_processes().items():
                # A process in our session was not started by this supervisor: its children have their own sessions.
                if stat.parent != here or stat.session == session or pid in self._children:
                    continue
                if stat.has_ended:
                    _reap(pid)
                elif not self._belongs_to_child(pid):
                    found[pid] = stat
            return found

    def _belongs_to_child(self, pid: int) -> bool:
        """Whether a process belongs to a running child."""
        marks = read_marks(pid)
        return any(child.mark in marks for child in self._children.values())


def run_system_program(argv: Sequence[str]) -> SystemProgramOutput:
    """Run a short system program, such as `ps` or `taskkill`, without supervision."""
    try:
        done = subprocess.run(list(argv), capture_output=True, check=False, env={"LC_ALL": "C"}, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return SystemProgramOutput(127, b"", str(error).encode())
    return SystemProgramOutput(done.returncode, done.stdout, done.stderr)


def replace_process(argv: Sequence[str]) -> NoReturn:
    """Run a program of the user, found by their PATH, in place of this process; OSError if it cannot be started."""
    os.execvp(argv[0], list(argv))


def _stop_subreaper(anchor: int) -> None:
    """Wait for a subreaper to exit, then kill it; its parent, maybe another process, reaps it."""
    stat = read_stat(anchor)
    began = stat.start_time if stat else ""
    until = time.monotonic() + _SUBREAPER_EXIT_S
    while (stat := read_stat(anchor)) is not None and stat.start_time == began and not stat.has_ended:
        if time.monotonic() > until:
            end_tree(ProcessTree(anchor, began), 0.0)
            return
        time.sleep(0.002)


def _wait_for_exit(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(_KILL_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise Failure("INTERNAL", f"The process {process.pid} was killed but does not end.", {"pid": process.pid},
                      hint="It waits inside the system, perhaps for a disk or a network share.") from None  # fmt: skip


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def _require_program(name: str, env: Mapping[str, str]) -> None:
    """Check that the program exists: starting its subreaper succeeds even if it does not."""
    if shutil.which(name, path=env.get("PATH", os.defpath)) is None:
        raise _make_start_failure(name, "No such file or directory")


def _make_start_failure(name: str, why: str) -> Failure:
    return Failure("CAPABILITY_MISSING", f"the program {name} cannot be started: {why}")
