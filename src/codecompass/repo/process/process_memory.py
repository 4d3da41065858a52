"""Process memory: measure the resident set and return freed memory to the system."""

import ctypes
import gc
import os
from collections.abc import Callable
from typing import NamedTuple

_STATM = "/proc/self/statm"
_M_ARENA_MAX = -8
"""Parameter of glibc's `mallopt`."""


def read_resident_bytes() -> int | None:
    """Return the resident set size of this process; None where the system does not report it."""
    try:
        with open(_STATM, "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def release_memory() -> None:
    """Collect cycles, then ask the C library to return freed memory to the system.

    A server collects cycles rarely, and the caches of a closed project may be part of some.
    """
    gc.collect()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return
    trim(0)


def limit_arenas(count: int = 2) -> None:
    """Let all threads allocate from a few arenas; otherwise each thread has its own, which only grows."""
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, count)
    except (OSError, AttributeError):
        return


class MemoryGauge(NamedTuple):
    """Functions that measure and release memory."""

    read: Callable[[], int | None] = read_resident_bytes
    release: Callable[[], None] = release_memory
