"""Process trees: read /proc and find the processes of a tree. Spawns and signals nothing.

A process is identified by its pid *and* its start time: the pid alone may be reused at any time. Every tree has a mark
in the environment of its processes, which children inherit: it identifies the tree of a process that has lost its
parent. A process inside several trees has the marks of all of them.
"""

import os
from dataclasses import dataclass, field
from typing import NamedTuple

MARK_VARIABLE = "CODECOMPASS_TREE"
_MARK_SEPARATOR = ":"


class ProcStat(NamedTuple):
    """The fields of `/proc/<pid>/stat` that identify a process and its position in the tree."""

    state: str
    parent: int
    group: int
    session: int
    start_time: str

    @property
    def has_ended(self) -> bool:
        return self.state in "ZX"


def read_stat(pid: int) -> ProcStat | None:
    """Read one process from Linux's /proc; None when it has ended or there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            data = file.read()
    except OSError:
        return None
    # The second field is the command in parentheses and may itself hold spaces and parentheses: cut at the last one.
    fields = data[data.rfind(b")") + 2 :].split()
    if len(fields) < 20:
        return None
    return ProcStat(fields[0].decode(), int(fields[1]), int(fields[2]), int(fields[3]), fields[19].decode())


def has_proc() -> bool:
    """Whether this system has a Linux-style /proc."""
    return os.path.exists("/proc/self/stat")


def list_processes() -> dict[int, ProcStat]:
    """List every process that /proc shows; empty where there is no /proc."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return {}
    stats = ((int(name), read_stat(int(name))) for name in names if name.isdigit())
    return {pid: stat for pid, stat in stats if stat is not None}


def read_proc_words(pid: int, file: str) -> list[bytes]:
    """Read the words of `/proc/<pid>/cmdline` or `environ`; empty without permission."""
    try:
        with open(f"/proc/{pid}/{file}", "rb") as opened:
            return opened.read().split(b"\0")
    except OSError:
        return []


def read_marks(pid: int) -> frozenset[str]:
    """Read the marks of all trees that a process was started in; empty when it cleared its environment."""
    begin = f"{MARK_VARIABLE}=".encode()
    found = next((word for word in read_proc_words(pid, "environ") if word.startswith(begin)), b"")
    return frozenset(found[len(begin) :].decode("ascii", "replace").split(_MARK_SEPARATOR)) - {""}


def join_marks(outer: frozenset[str], mark: str) -> str:
    """Format the value of the environment variable for a tree inside other trees."""
    return _MARK_SEPARATOR.join([*sorted(outer), mark])


def find_descendants(pids: list[int], table: dict[int, ProcStat]) -> dict[int, str]:
    """Find all descendants of processes with their start times, including those that left a group."""
    children: dict[int, list[int]] = {}
    for child, stat in table.items():
        children.setdefault(stat.parent, []).append(child)
    found: dict[int, str] = {}
    queue = list(pids)
    while queue:
        for child in children.get(queue.pop(), ()):
            if child not in found:
                found[child] = table[child].start_time
                queue.append(child)
    return found


@dataclass
class ProcessTree:
    """One process and all its descendants; a process that was found once is never lost again.

    A process belongs to the tree by its chain of parents, by session or group, or by the mark.
    """

    pid: int
    start_time: str
    mark: str = ""
    subreaper_pid: int = 0
    """The subreaper above it, or 0: it is ended last, since orphans of the tree become its children."""
    seen: dict[int, str] = field(default_factory=dict)
    _unrelated: set[tuple[int, str]] = field(default_factory=set)

    def find_running(self) -> dict[int, str]:
        """Find the running members with their start times, without the subreaper."""
        table = list_processes()
        leader = table.get(self.pid)
        if leader is not None and leader.start_time == self.start_time:
            self.seen[self.pid] = self.start_time
        running = [pid for pid, began in self.seen.items() if pid in table and table[pid].start_time == began]
        ours = leader is not None and leader.start_time == self.start_time
        for pid, stat in table.items():
            inside = self.pid in (stat.session, stat.group)
            # Without its leader the number of a session may have been reused, unless the process has a mark.
            if pid not in self.seen and (inside and ours or self._is_marked(pid, stat, inside=inside)):
                self.seen[pid] = stat.start_time
                running.append(pid)
        below = find_descendants([*running, *([self.subreaper_pid] if self.subreaper_pid in table else [])], table)
        self.seen.update((pid, began) for pid, began in below.items() if self.seen.get(pid) != began)
        spared = (self.subreaper_pid, os.getpid(), os.getppid(), 0, 1)
        return {
            pid: began
            for pid, began in self.seen.items()
            if pid in table and table[pid].start_time == began and not table[pid].has_ended and pid not in spared
        }

    def is_running(self) -> bool:
        """Whether any known member still runs: cheaper than `find_running`."""
        stats = (
            (read_stat(pid), began) for pid, began in self.seen.items() if pid not in (self.subreaper_pid, os.getpid())
        )
        return any(stat is not None and stat.start_time == began and not stat.has_ended for stat, began in stats)

    def _is_marked(self, pid: int, stat: ProcStat, *, inside: bool) -> bool:
        if (pid, stat.start_time) in self._unrelated or stat.has_ended or not (self.mark or inside):
            return False
        marks = read_marks(pid)
        if self.mark in marks if self.mark else marks and inside:
            return True
        self._unrelated.add((pid, stat.start_time))
        return False
