"""What the system knows about running processes, and how a whole group of them is ended. Spawns nothing.

A process is named by its pid *and* its start time: a number alone may belong to someone else by the time it is used.
"""

import os
import signal
import time
from typing import NamedTuple

_POLL = 0.01


class ProcStat(NamedTuple):
    """The fields of `/proc/<pid>/stat` that identify a process and its place in the tree."""

    state: str
    parent: int
    group: int
    start_time: str


def read_stat(pid: int) -> ProcStat | None:
    """One process from Linux's /proc, or None when it is gone (or there is no /proc)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            data = file.read()
    except OSError:
        return None
    # The second field is the command in parentheses and may itself hold spaces and parentheses: cut at the last one.
    fields = data[data.rfind(b")") + 2 :].split()
    if len(fields) < 20:
        return None
    return ProcStat(fields[0].decode(), int(fields[1]), int(fields[2]), fields[19].decode())


def has_proc() -> bool:
    """Whether this system has a Linux-style /proc."""
    return os.path.exists("/proc/self/stat")


def all_processes() -> dict[int, ProcStat]:
    """Every process of this machine that /proc shows; empty where there is no /proc."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return {}
    stats = ((int(name), read_stat(int(name))) for name in names if name.isdigit())
    return {pid: stat for pid, stat in stats if stat is not None}


def descendants(pid: int, table: dict[int, ProcStat]) -> dict[int, str]:
    """Children, grandchildren and so on of a process, with their start times: catches those that left the group."""
    children: dict[int, list[int]] = {}
    for child, stat in table.items():
        children.setdefault(stat.parent, []).append(child)
    found: dict[int, str] = {}
    queue = [pid]
    while queue:
        for child in children.get(queue.pop(), ()):
            if child not in found:
                found[child] = table[child].start_time
                queue.append(child)
    return found


def end_group(group: int, grace: float) -> None:
    """TERM to the group and to descendants that left it, `grace` seconds, then KILL; returns when none is running."""
    strays = descendants(group, all_processes())
    _signal_group(group, signal.SIGTERM)
    _signal_each(strays, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline:
        if not _running(group, strays):
            return
        time.sleep(_POLL)
    # Children born during the grace are found by a second look, as long as the leader still stands.
    strays |= descendants(group, all_processes())
    _signal_group(group, signal.SIGKILL)
    _signal_each(strays, signal.SIGKILL)
    # KILL takes effect at once, save for a process stuck in the kernel; waiting for that one would help nobody.
    deadline = time.monotonic() + 1.0
    while time.monotonic() < deadline and _running(group, strays):
        time.sleep(_POLL)


def kill_group(group: int) -> None:
    """KILL to whatever is left of a group whose leader is known to be ours."""
    _signal_group(group, signal.SIGKILL)


def taskkill_argv(pid: int) -> list[str]:
    """The Windows command that ends a process and its children."""
    return ["taskkill", "/PID", str(pid), "/T", "/F"]


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        # Gone already; or, on macOS, nothing but zombies left.
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


def _running(group: int, strays: dict[int, str]) -> bool:
    try:
        os.killpg(group, 0)
        group_exists = True
    except (ProcessLookupError, PermissionError):
        group_exists = False
    if group_exists and not has_proc():
        return True
    if group_exists and any(stat.group == group and stat.state not in "ZX" for stat in all_processes().values()):
        return True
    return any(
        stat is not None and stat.start_time == start_time and stat.state not in "ZX"
        for stat, start_time in ((read_stat(pid), start_time) for pid, start_time in strays.items())
    )
