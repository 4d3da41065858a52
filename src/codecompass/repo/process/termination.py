"""Termination: end a process tree with TERM, a grace period and KILL until nothing of it runs. Spawns nothing."""

import os
import signal
import time

from codecompass.repo.process.process_tree import ProcessTree, has_proc, read_stat

_POLL = 0.01
_SCAN_INTERVAL_S = 0.05
"""Seconds between scans of all processes during the grace period."""
_KILL_TIMEOUT_S = 1.0
"""Seconds to wait after SIGKILL, which takes effect at once except for a process stuck in the kernel."""
_MAX_FREEZE_ROUNDS = 40


def end_tree(tree: ProcessTree, grace: float) -> None:
    """Send TERM to every member, wait `grace` seconds, then send KILL until no member is running."""
    if not has_proc():
        _end_group(tree.pid, grace)
        return
    if grace > 0 and _terminate(tree, grace):
        return
    _freeze(tree)
    until = time.monotonic() + _KILL_TIMEOUT_S
    while (left := tree.find_running()) and time.monotonic() < until:
        _signal_each(left, signal.SIGKILL)
        time.sleep(_POLL / 2)


def _terminate(tree: ProcessTree, grace: float) -> bool:
    """Send TERM to all members, including those started meanwhile; return whether all ended."""
    asked: dict[int, str] = {}
    until = time.monotonic() + grace
    while time.monotonic() < until:
        new = {pid: began for pid, began in tree.find_running().items() if asked.get(pid) != began}
        if not new and not tree.is_running():
            return True
        _signal_each(new, signal.SIGTERM)
        asked.update(new)
        again = min(time.monotonic() + _SCAN_INTERVAL_S, until)
        while time.monotonic() < again and tree.is_running():
            time.sleep(_POLL)
    return False


def _freeze(tree: ProcessTree) -> None:
    """Send SIGSTOP until a scan finds no new member: a stopped process cannot fork faster than it is killed."""
    frozen: dict[int, str] = {}
    for _ in range(_MAX_FREEZE_ROUNDS):
        new = {pid: began for pid, began in tree.find_running().items() if frozen.get(pid) != began}
        if not new:
            return
        _signal_each(new, signal.SIGSTOP)
        frozen.update(new)


def kill_group(group: int) -> None:
    """Send KILL to the rest of a group whose leader is known to be ours."""
    _signal_group(group, signal.SIGKILL)


def _end_group(group: int, grace: float) -> None:
    """End a process group, where there is no /proc to find other members."""
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, _KILL_TIMEOUT_S)):
        if seconds <= 0:
            continue
        _signal_group(group, number)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                os.killpg(group, 0)
            except (ProcessLookupError, PermissionError):
                return
            time.sleep(_POLL)


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        # Already ended; or, on macOS, only zombies are left.
        return


def _signal_each(processes: dict[int, str], number: int) -> None:
    for pid, start_time in processes.items():
        stat = read_stat(pid)
        if stat is None or stat.start_time != start_time:
            continue
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue
