"""Subreaper: a small process between us and a child that ends the child's whole tree with it. Linux only.

It is a *child subreaper*: a process of the tree that loses its parent (a daemon that forked twice, with a session of
its own and an empty environment) becomes a child of the subreaper, so that the chain of parents always identifies the
tree. When the child ends, or when we die for any reason, the subreaper kills its own children until none is left: no
other process of the tree can exist. It asks the kernel for a signal at our death, and the child for one at its own.

An interpreter without site packages runs this file, so it imports only the standard library. It has a single thread
and may therefore fork and call the kernel before the exec; our own process has many threads and may not.
"""

import ctypes
import os
import signal
import sys
import time

DEATH_SIGNAL, DUMPABLE, ADOPT_ORPHANS = 1, 4, 36
"""Numbers of `prctl`."""
_SIGNAL_NAMES = ("SIGTERM", "SIGINT", "SIGHUP", "SIGCHLD")
_HANDLED_SIGNALS = tuple(getattr(signal, name) for name in _SIGNAL_NAMES if hasattr(signal, name))
"""Windows has not all of them; it imports this module and does not run it."""
_KILL_SIGNAL = getattr(signal, "SIGKILL", signal.SIGTERM)
_KILL_TIMEOUT_S = 5.0
"""For processes that do not die of SIGKILL: those of another user, or stuck in the kernel."""
_PARENT_GONE_STATUS = 143


def call_prctl(option: int, value: int) -> bool:
    """Call `prctl`; False where the kernel does not support the option."""
    try:
        return bool(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError, TypeError):
        return False


def die_with_parent(parent: int, number: int = _KILL_SIGNAL) -> bool:
    """Ask the kernel to signal this process when the thread that started it ends; False when that parent has ended."""
    call_prctl(DEATH_SIGNAL, number)
    return os.getppid() == parent


def build_subreaper_command(interpreter: str, argv: list[str]) -> list[str]:
    """Build the command that runs `argv` under a subreaper of this process."""
    return [interpreter, "-I", "-S", os.path.abspath(__file__), str(os.getpid()), *argv]


def is_subreaper(command: list[bytes]) -> bool:
    """Whether a command line from /proc is that of a subreaper."""
    return len(command) > 5 and command[1:3] == [b"-I", b"-S"] and command[3].endswith(b"/repo/process/subreaper.py")


def run_guarded(parent: int, argv: list[str]) -> int:
    """Run a command and end all processes it started; return the status to exit with, in the format of `os.wait`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED_SIGNALS)
    call_prctl(ADOPT_ORPHANS, 1)
    if not die_with_parent(parent, signal.SIGTERM):
        return _PARENT_GONE_STATUS << 8
    warden = os.getpid()
    child = os.fork()
    if child == 0:
        _exec_command(argv, warden, before)
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        # The pipes belong to the child: their readers must not wait for us.
        os.dup2(null, number)
    ended = None
    while ended is None:
        if signal.sigwait(_HANDLED_SIGNALS) != signal.SIGCHLD:
            break
        ended = _reap(child)
    _kill_all()
    return _PARENT_GONE_STATUS << 8 if ended is None else ended


def _exec_command(argv: list[str], warden: int, mask: "set[int | signal.Signals]") -> None:
    """Exec the command in a session and a group of its own. Never returns."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores these signals, and the new program would inherit that.
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    if not die_with_parent(warden):
        os._exit(_PARENT_GONE_STATUS)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        os.execvpe(argv[0], argv, _read_environment())
    except OSError as error:
        os.write(2, f"{argv[0]} cannot be started: {error.strerror}\n".encode())
    os._exit(127)


def _read_environment() -> dict[bytes, bytes]:
    """Read the original environment: Python changes its own copy for some locales."""
    with open("/proc/self/environ", "rb") as file:
        pairs = (word.partition(b"=") for word in file.read().split(b"\0") if word)
        return {name: value for name, _, value in pairs}


def _reap(child: int) -> int | None:
    """Reap all ended processes; return the status of the child if it was among them."""
    ended = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        if pid == child:
            ended = status


def _kill_all() -> None:
    """Kill our children until none is left; their children become ours and are next."""
    until = time.monotonic() + _KILL_TIMEOUT_S
    pause = 0.0005
    while time.monotonic() < until:
        for pid, group in _list_children():
            for kill, number in ((os.killpg, group), (os.kill, pid)):
                try:
                    # Killing a whole group at once leaves no time to fork; we are in none of these groups.
                    kill(number, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    continue
        _reap(0)
        try:
            if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                time.sleep(pause)
                pause = min(pause * 2, 0.02)
        except ChildProcessError:
            return


def _list_children() -> list[tuple[int, int]]:
    """List (pid, group) of our children."""
    here, ours, found = str(os.getpid()).encode(), os.getpgrp(), []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                line = file.read()
        except OSError:
            continue
        fields = line[line.rfind(b")") + 2 :].split()
        if len(fields) > 2 and fields[1] == here and int(fields[2]) not in (0, 1, ours):
            found.append((int(name), int(fields[2])))
    return found


def _exit_like_child(status: int) -> None:
    """Exit like the child: with the same code or by the same signal."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (number,))
        call_prctl(DUMPABLE, 0)  # no core dump: the child crashed, not this process
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else _PARENT_GONE_STATUS)


if __name__ == "__main__":
    _exit_like_child(run_guarded(int(sys.argv[1]), sys.argv[2:]))
