"""Process sandbox: drops all rights that a process does not need before it loads a foreign library.

On all systems: no core file, no written file, no started process, bounded time and memory. On Linux also: no new
privileges, user `nobody` instead of root, and, if the kernel has Landlock, access to no file but the named ones and no
connections. What a kernel does not support is skipped: this is one of several layers of defence.
"""

import ctypes
import os
import sys
from collections.abc import Iterable

from codecompass.system.resource_limits import lower_limit
from codecompass.system.user_accounts import is_superuser

NOBODY = 65_534
SECONDS, MEMORY, FILES = 10, 2 * 2**30, 32
_NO_NEW_PRIVILEGES, _DUMPABLE = 38, 4
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ = 0b1100
"""Landlock rights: read a file, and list a directory."""
_ALL_FILES = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF}
"""Landlock version → all file rights that it knows; later versions know at least those of the last."""
_ALL_CONNECTIONS = 0b11
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/proc/self")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("connections", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def confine(readable: Iterable[str]) -> None:
    """Drop all rights except reading the named files and the system's libraries."""
    lower_limit("core", 0)
    lower_limit("file_bytes", 0)
    lower_limit("cpu_seconds", SECONDS)
    lower_limit("memory_bytes", MEMORY)
    lower_limit("open_files", FILES)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _restrict_files(libc, (*_LIBRARIES, *readable))
    if is_superuser():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        if sys.platform == "linux":
            # After the change of user /proc/self is not readable, but it leads to the file that is already open.
            libc.prctl(_DUMPABLE, 1, 0, 0, 0)
    lower_limit("processes", 0)


def _restrict_files(libc: ctypes.CDLL, readable: Iterable[str]) -> None:
    """Deny access to all files except these, with Landlock."""
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
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = _READ if os.path.isdir(path) else _READ & 0b0100
        libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(_PathBeneath(allowed, descriptor)), 0)
        os.close(descriptor)
    libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
