"""Measure: run a command and watch its whole process tree — wall time, CPU time, and the peak of resident memory."""

import contextlib
import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

SAMPLE_S = 0.02
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_KEPT_OUTPUT = 1_000_000


@dataclass(frozen=True, slots=True)
class Measured:
    """One run. Memory is summed over every process of the tree, so pages they share count more than once."""

    code: int
    wall_s: float
    cpu_s: float
    peak_bytes: int
    samples: int
    timed_out: bool
    out: str = ""
    err: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0 and not self.timed_out


@dataclass(frozen=True, slots=True)
class Medians:
    """Several runs of one command, each number by itself."""

    wall_s: float
    cpu_s: float
    peak_bytes: float
    walls: tuple[float, ...]


def medians(runs: Sequence[Measured]) -> Medians:
    return Medians(
        statistics.median(run.wall_s for run in runs),
        statistics.median(run.cpu_s for run in runs),
        statistics.median(run.peak_bytes for run in runs),
        tuple(round(run.wall_s, 4) for run in runs),
    )


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    session: int
    start: int
    cpu_s: float
    rss: int


def _read_process(pid: str) -> _Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    # The name stands in brackets and may hold anything, so the fields are counted from its last bracket.
    part = text[text.rfind(b")") + 2 :].split()
    cpu = (int(part[11]) + int(part[12])) / _TICKS
    return _Process(int(pid), int(part[1]), int(part[3]), int(part[19]), cpu, int(part[21]) * _PAGE)


def _process_table(without: Set[str] = frozenset()) -> dict[int, _Process]:
    found = (_read_process(name) for name in os.listdir("/proc") if name.isdigit() and name not in without)
    return {item.pid: item for item in found if item is not None}


@dataclass
class Tree:
    """The descendants of one process. Who was once seen in it stays in it, even when its parent died."""

    root: int
    peak: int = 0
    samples: int = 0
    _seen: dict[tuple[int, int], float] = field(default_factory=dict)
    _foreign: frozenset[str] = frozenset()
    """Processes that were there at the first look and not in the tree: no use in reading them fifty times a second."""

    def sample(self) -> int:
        """Resident bytes of the tree now."""
        table = _process_table(self._foreign)
        inside: dict[int, bool] = {}
        for pid in table:
            self._belongs(pid, table, inside)
        if not self._foreign:
            self._foreign = frozenset(str(pid) for pid, belongs in inside.items() if not belongs)
        now = [table[pid] for pid, belongs in inside.items() if belongs]
        self._seen.update({(item.pid, item.start): item.cpu_s for item in now})
        rss = sum(item.rss for item in now)
        self.peak = max(self.peak, rss)
        self.samples += 1
        return rss

    def _belongs(self, pid: int, table: dict[int, _Process], inside: dict[int, bool]) -> bool:
        if pid in inside:
            return inside[pid]
        item = table.get(pid)
        if item is None:
            return False
        inside[pid] = False  # ends a circle, should the table be torn
        own = pid == self.root or item.session == self.root or (pid, item.start) in self._seen
        inside[pid] = own or self._belongs(item.parent, table, inside)
        return inside[pid]

    @property
    def cpu_s(self) -> float:
        """CPU time seen in samples; misses what happened after the last look at each process."""
        return sum(self._seen.values())

    def end(self) -> None:
        """Kill whatever is left of it."""
        table = _process_table()
        for pid, start in self._seen:
            if pid in table and table[pid].start == start:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)


def _watch(tree: Tree, stop: threading.Event) -> None:
    while not stop.wait(SAMPLE_S):
        tree.sample()


def run(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout_s: float) -> Measured:
    """Run to the end, or kill the tree at the deadline."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(
            argv, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        tree, stop, late = Tree(process.pid), threading.Event(), threading.Event()

        def give_up() -> None:
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(timeout_s, give_up)
        sampler = threading.Thread(target=_watch, args=(tree, stop), daemon=True)
        timer.start()
        sampler.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            timer.cancel()
            stop.set()
            sampler.join()
            tree.end()
        return Measured(
            code=process.returncode,
            wall_s=wall,
            # The kernel adds up children that were waited for; those nobody waited for are known from the samples.
            cpu_s=max(used.ru_utime + used.ru_stime, tree.cpu_s),
            peak_bytes=tree.peak,
            samples=tree.samples,
            timed_out=late.is_set(),
            out=_text(out),
            err=_text(err),
        )


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_KEPT_OUTPUT).decode("utf-8", "replace")
