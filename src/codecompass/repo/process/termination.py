"""How a tree of processes is ended: asked, given a while, and killed until nothing of it runs. Spawns nothing."""

import os
import signal
import time

from codecompass.repo.process.process_tree import Tree, has_proc, read_stat

_POLL = 0.01
_LOOK = 0.05
"""Seconds between looks at all processes of the machine while a tree has its grace."""
_PATIENCE = 1.0
"""SIGKILL takes effect at once, save for a process stuck in the kernel, and waiting for that one would help nobody."""
_ROUNDS = 40


def end_tree(tree: Tree, grace: float) -> None:
    """TERM to every member, `grace` seconds, then KILL, until no member is running."""
    if not has_proc():
        _end_group(tree.pid, grace)
        return
    if grace > 0 and _ask(tree, grace):
        return
    _freeze(tree)
    until = time.monotonic() + _PATIENCE
    while (left := tree.look()) and time.monotonic() < until:
        _signal_each(left, signal.SIGKILL)
        time.sleep(_POLL / 2)


def _ask(tree: Tree, grace: float) -> bool:
    """TERM, also to those that are born meanwhile; whether all ended of it."""
    asked: dict[int, str] = {}
    until = time.monotonic() + grace
    while time.monotonic() < until:
        new = {pid: began for pid, began in tree.look().items() if asked.get(pid) != began}
        if not new and not tree.standing():
            return True
        _signal_each(new, signal.SIGTERM)
        asked.update(new)
        again = min(time.monotonic() + _LOOK, until)
        while time.monotonic() < again and tree.standing():
            time.sleep(_POLL)
    return False


def _freeze(tree: Tree) -> None:
    """Stop members until a look finds no new one: what forks faster than it is killed cannot fork when stopped."""
    frozen: dict[int, str] = {}
    for _ in range(_ROUNDS):
        new = {pid: began for pid, began in tree.look().items() if frozen.get(pid) != began}
        if not new:
            return
        _signal_each(new, signal.SIGSTOP)
        frozen.update(new)


def kill_group(group: int) -> None:
    """KILL to whatever is left of a group whose leader is known to be ours."""
    _signal_group(group, signal.SIGKILL)


def _end_group(group: int, grace: float) -> None:
    """The same where there is no /proc: only the group can be reached."""
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, _PATIENCE)):
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
