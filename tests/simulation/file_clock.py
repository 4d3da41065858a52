"""The clock of files: two writes within one of its steps leave the same times.

Steps of today's kernels are too short to be hit by chance, so the simulation says of which file the program sees the
times of an earlier write.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from codecompass.repo.files import tree_monitor, tree_walk
from codecompass.repo.files.tree_walk import FileStat
from tests.simulation.run_limits import replaced


class Times(NamedTuple):
    """When a file and its inode changed, in nanoseconds."""

    mtime_ns: int
    ctime_ns: int


def read_times(path: Path) -> Times:
    info = path.lstat()
    return Times(info.st_mtime_ns, info.st_ctime_ns)


class FileClock:
    """What the program is told about times; without a word from the simulation the truth."""

    def __init__(self) -> None:
        self._told: dict[int, tuple[Times, Times]] = {}
        """Inode → true times, and those that are told as long as the true ones stay."""

    def keep(self, path: Path, times: Times) -> None:
        """The last write of a file came so soon after an earlier one that it left these times."""
        self._told[path.lstat().st_ino] = (read_times(path), times)

    def tell(self, inode: int, true: Times) -> Times:
        known = self._told.get(inode)
        return known[1] if known is not None and known[0] == true else true


class _ToldStat:
    """What `os` tells of a file, with the times of the clock."""

    def __init__(self, info: os.stat_result, clock: FileClock) -> None:
        self._info = info
        self.st_mtime_ns, self.st_ctime_ns = clock.tell(info.st_ino, Times(info.st_mtime_ns, info.st_ctime_ns))

    def __getattr__(self, name: str) -> object:
        return getattr(self._info, name)


class _ToldOs:
    """The module `os` where files are looked at."""

    def __init__(self, clock: FileClock) -> None:
        self._clock = clock

    def lstat(self, path: str) -> _ToldStat:
        return _ToldStat(os.lstat(path), self._clock)

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)


@contextmanager
def file_clock() -> Iterator[FileClock]:
    """The program sees the times of this clock, where it lists files and where it compares them."""
    clock = FileClock()

    def listed(path: str, size: int, mtime_ns: int, inode: int, ctime_ns: int, links: int) -> FileStat:
        times = clock.tell(inode, Times(mtime_ns, ctime_ns))
        return FileStat(path, size, times.mtime_ns, inode, times.ctime_ns, links)

    with replaced(tree_walk, "FileStat", listed), replaced(tree_monitor, "os", _ToldOs(clock)):
        yield clock
