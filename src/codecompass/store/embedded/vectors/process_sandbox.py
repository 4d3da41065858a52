"""Confinement: a process gives up the rights that it does not need, before it loads a library that is not its own.

Everywhere: no core file, no file written, no process started, bounded time and memory. On Linux besides: no new
rights by other programs, no user but `nobody` where we were root, and, where the kernel has Landlock, no file but the
named ones and no connection. What a kernel does not know is left out: this is one wall among several.
"""

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Iterable

NOBODY = 65_534
SECONDS, MEMORY, FILES = 10, 2 * 2**30, 32
_NO_NEW_PRIVILEGES, _DUMPABLE = 38, 4
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ = 0b1100
"""Reading a file, and listing a directory."""
_ALL_FILES = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF}
"""Version of Landlock → every right over files that it knows; later ones know at least those of the last."""
_ALL_CONNECTIONS = 0b11
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/proc/self")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("connections", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def confine(readable: Iterable[str]) -> None:
    """Give up everything but reading the named files and the system's libraries."""
    limits = {
        resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CPU: SECONDS,
        resource.RLIMIT_AS: MEMORY, resource.RLIMIT_NOFILE: FILES,
    }  # fmt: skip
    for limit, most in limits.items():
        _lower(limit, most)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _close_files(libc, (*_LIBRARIES, *readable))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        if sys.platform == "linux":
            # Another user takes /proc/self away, which leads to the file that is open already.
            libc.prctl(_DUMPABLE, 1, 0, 0, 0)
    _lower(resource.RLIMIT_NPROC, 0)


def _lower(limit: int, most: int) -> None:
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(limit, (most, most))


def _close_files(libc: ctypes.CDLL, readable: Iterable[str]) -> None:
    """Landlock: whatever is not readable here is out of reach from now on."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return
    rights = _Ruleset(_ALL_FILES[min(version, 3)], _ALL_CONNECTIONS if version >= 4 else 0)
    size = ctypes.sizeof(rights) if version >= 4 else ctypes.sizeof(ctypes.c_uint64)
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(rights), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return
    for path in readable:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = _READ if os.path.isdir(path) else _READ & 0b0100
        libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(_Beneath(allowed, place)), 0)
        os.close(place)
    libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
