"""The supervisor: starts every child of this process and leaves nothing of it behind. The only module that spawns.

What is guaranteed, and by what:

- A child leads a session of its own, so its pid is the number of its group. To end it means TERM to every process of
  its tree, a grace, then KILL until none is left. Its tree is: its descendants, its session and group, and all that
  carry its mark (see `proctree`), each one looked for again and again while it is being ended.
- A *guarded* child, which is the rule, runs under a warden (see `warden`). On Linux nothing then outlives it: no
  descendant can leave the warden's line, whatever it forks, whatever session it opens, however empty its environment;
  and nothing outlives us, even if we are killed. The exceptions: a process of another user, which we may not signal,
  and somebody who kills the warden itself at the same moment.
- A *leaf*, a program of which we know that it starts nothing (git's readers, our parse workers), goes without a warden,
  which costs about 20 ms. Should it leave something all the same, then in a process that adopts orphans (`adopt`) that
  becomes our child: it is left alone while it carries the mark of a child at work, and otherwise ended in a sweep,
  which follows the end of a child, that of a leaf every few seconds. Orphans of guarded children go to their wardens,
  so these cannot be meant.
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
from typing import IO, Any, TypeVar

from codecompass.errors import Failure
from codecompass.repo.process.child_pipes import close_pipes, has_exited
from codecompass.repo.process.process_tree import MARK, ProcStat, Tree, all_processes, join_marks, read_marks, read_stat
from codecompass.repo.process.subreaper import ADOPT_ORPHANS, control, warden_command
from codecompass.repo.process.termination import end_tree, kill_group
from codecompass.repo.process.windows_processes import NEW_GROUP, Said, kill_by_taskkill

GRACE = 2.0
PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
_REAP_S = 1.0
_SWEEP_EVERY_S = 5.0
_STUCK_S = 5.0
"""Nothing lasts this long after SIGKILL but what the kernel itself does not let go."""
_ANCHOR_S = 0.3
"""A warden that has nothing left to guard goes by itself; this long it is waited for."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Child:
    """A process that we started, until it is reaped."""

    process: subprocess.Popen[bytes]
    start_time: str
    mark: str
    guarded: bool

    @property
    def pid(self) -> int:
        return self.process.pid

    def communicate(self, data: bytes, timeout: float) -> tuple[bytes, bytes]:
        """Feed and read it where pipes cannot be waited for all at once; TimeoutError when that is too late."""
        try:
            return self.process.communicate(data, timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None

    def tree(self) -> Tree:
        return Tree(self.pid, self.start_time, self.mark, anchor=self.pid if self.guarded else 0)


def platform_options(platform: str) -> dict[str, Any]:
    """How a child gets a group of its own on a system."""
    return {"creationflags": NEW_GROUP} if platform == "win32" else {"start_new_session": True}


class Supervisor:
    """One for each process, as its children are. Thread-safe."""

    def __init__(self, platform: str = sys.platform) -> None:
        self._platform = platform
        self._lock = threading.RLock()
        self._sweeping = threading.Lock()
        self._children: dict[int, Child] = {}
        self._adopting = False
        self._spawner = ThreadPoolExecutor(1, "spawner")
        """One thread, which starts when it is first needed and ends with the process."""
        self._outer: frozenset[str] | None = None
        self._swept = 0.0
        self.grace = GRACE

    def adopt(self) -> bool:
        """Make orphans of our children our own; only for a process in which nobody else starts any."""
        self._adopting = self._platform == "linux" and control(ADOPT_ORPHANS, 1)
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
        leaf: bool,
    ) -> Child:
        """Start a child; without `leaf` under a warden, and then only from a thread that outlives it (`lastingly`)."""
        guarded = not leaf and self._platform == "linux"
        mark = secrets.token_hex(8)
        command = list(argv)
        if guarded:
            _require_program(argv[0], env)
            command = warden_command(sys.executable, command)
        options = platform_options(self._platform)
        # Until it is in the table, a child must not be taken for an orphan, nor be reaped as one.
        with self._lock:
            if self._outer is None:
                self._outer = read_marks(os.getpid())
            try:
                process = subprocess.Popen(
                    command,
                    env={**env, MARK: join_marks(self._outer, mark)},
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
                raise _cannot_start(argv[0], error.strerror or "") from error
            stat = read_stat(process.pid)
            child = Child(process, stat.start_time if stat else "", mark, guarded)
            self._children[process.pid] = child
        return child

    def lastingly(self, make: Callable[[], T]) -> T:
        """Run something in a thread that never ends: death of a parent means that of the *thread* which forked."""
        return self._spawner.submit(make).result()

    # -- ending ----------------------------------------------------------------------------------------------------

    def end(self, child: Child, grace: float | None = None) -> int:
        """Close our pipes, end the tree, reap the child; its exit code. Harmless when all is over."""
        process = child.process
        close_pipes(process)
        if process.returncode is None:
            over = self._platform != "win32" and has_exited(process)
            if not over:
                self._stop(child.tree(), self.grace if grace is None else grace)
            elif child.guarded and self._fell(child):
                end_tree(child.tree(), 0.0)
            elif not child.guarded and self._platform != "win32":
                # The leader is not reaped yet, so the group's number is still ours: end what it left behind.
                kill_group(child.pid)
            _await(process)
            self._forget(child)
            if not over or child.guarded:
                self.sweep()
            else:
                self._sweep_soon()
        return process.returncode

    def wait(self, child: Child) -> None:
        """Until a child ends by itself or by others; then its tree is gone too."""
        if os.name != "nt":
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        else:
            child.process.wait()
        self.end(child)

    def stop(self, tree: Tree, grace: float | None = None) -> None:
        """End a tree whose leader somebody else reaps."""
        with self._lock:
            known = self._children.get(tree.pid)
        if known is not None and known.start_time == tree.start_time:
            tree = known.tree()
        self._stop(tree, self.grace if grace is None else grace)
        self.sweep()

    def end_all(self) -> None:
        """End every child at once: we are leaving."""
        with self._lock:
            left = list(self._children.values())
        for child in left:
            self.kill(child)

    def kill(self, child: Child) -> None:
        """End a child's tree at once, from any thread; whoever started it reaps it."""
        self._stop(child.tree(), 0.0)

    def _stop(self, tree: Tree, grace: float) -> None:
        if self._platform == "win32":
            kill_by_taskkill(tree.pid, system_program)
            return
        end_tree(tree, grace)
        if tree.anchor:
            _dismiss(tree.anchor)

    def _fell(self, child: Child) -> bool:
        """Whether a warden was killed: otherwise it has ended all that it guarded, and then itself."""
        ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return ended is not None and ended.si_code != os.CLD_EXITED

    def _forget(self, child: Child) -> None:
        with self._lock:
            if self._children.get(child.pid) is child:
                del self._children[child.pid]

    # -- orphans ---------------------------------------------------------------------------------------------------

    def sweep(self) -> None:
        """End orphans that became ours and whose tree is over, and reap those that have ended."""
        if not self._adopting:
            return
        with self._sweeping:
            until = time.monotonic() + _REAP_S
            while (left := self._orphans()) and time.monotonic() < until:
                for pid, stat in left.items():
                    end_tree(Tree(pid, stat.start_time), 0.0)
                time.sleep(0.002)

    def _sweep_soon(self) -> None:
        """The same for a leaf, which leaves nothing: now and then, and not in its caller's time."""
        if not self._adopting or time.monotonic() - self._swept < _SWEEP_EVERY_S:
            return
        self._swept = time.monotonic()
        self._spawner.submit(self.sweep)

    def _orphans(self) -> dict[int, ProcStat]:
        """Adopted processes that belong to no child at work; those that have ended are reaped on the way."""
        with self._lock:
            here, session = os.getpid(), os.getsid(0)
            found = {}
            for pid, stat in all_processes().items():
                # What shares our session was started by somebody else in this process: our children never do.
                if stat.parent != here or stat.session == session or pid in self._children:
                    continue
                if stat.ended:
                    _reap(pid)
                elif not self._belongs(pid):
                    found[pid] = stat
            return found

    def _belongs(self, pid: int) -> bool:
        """Whether it is of a child at work, and so none of our business yet."""
        marks = read_marks(pid)
        return any(child.mark in marks for child in self._children.values())


def system_program(argv: Sequence[str]) -> Said:
    """Run a short program of the system itself, such as `ps` or `taskkill`, without supervision."""
    try:
        done = subprocess.run(list(argv), capture_output=True, check=False, env={"LC_ALL": "C"}, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Said(127, b"", str(error).encode())
    return Said(done.returncode, done.stdout, done.stderr)


def _dismiss(anchor: int) -> None:
    """Wait for a warden to go, then make it; it is our child or that of a process which reaps it."""
    stat = read_stat(anchor)
    began = stat.start_time if stat else ""
    until = time.monotonic() + _ANCHOR_S
    while (stat := read_stat(anchor)) is not None and stat.start_time == began and not stat.ended:
        if time.monotonic() > until:
            end_tree(Tree(anchor, began), 0.0)
            return
        time.sleep(0.002)


def _await(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(_STUCK_S)
    except subprocess.TimeoutExpired:
        raise Failure("INTERNAL", f"The process {process.pid} was killed and does not end.", {"pid": process.pid},
                      hint="It waits inside the system, perhaps for a disk or a network share.") from None  # fmt: skip


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def _require_program(name: str, env: Mapping[str, str]) -> None:
    """The warden is always found, so whether it will find the program must be known before."""
    if shutil.which(name, path=env.get("PATH", os.defpath)) is None:
        raise _cannot_start(name, "No such file or directory")


def _cannot_start(name: str, why: str) -> Failure:
    return Failure("CAPABILITY_MISSING", f"the program {name} cannot be started: {why}")
