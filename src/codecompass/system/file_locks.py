"""File locks: shared and exclusive locks on open files, released at the latest when the process ends.

With `fcntl` the lock is a `flock` on the open file. With `msvcrt`, which has no shared locks, a range of bytes far
behind the content is locked instead: a shared lock takes one byte of the range, an exclusive lock all of it, so at most
`_SHARED_LOCKS` shared locks exist at a time. A system with neither module has no safe way to share a project, so each
function raises CAPABILITY_MISSING.
"""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from codecompass.errors import Failure
from codecompass.system.optional_module import import_optional

_FCNTL = import_optional("fcntl")
_MSVCRT = import_optional("msvcrt")
_RANGE_START = 2**30
_SHARED_LOCKS = 64
_RETRY_SECONDS = 0.02
_DIRECTORY_LOCK_FILE = ".lock"
"""File that is locked in place of a directory, where a directory cannot be opened."""


def lock_shared(descriptor: int) -> None:
    """Wait for a shared lock; it replaces a lock that this open file already has."""
    if _FCNTL is not None:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_SH)
        return
    module = _require_msvcrt()
    _unlock_range(module, descriptor)
    while not any(_try_range(module, descriptor, slot, 1) for slot in range(_SHARED_LOCKS)):
        time.sleep(_RETRY_SECONDS)


def lock_exclusive(descriptor: int, *, wait: bool = True) -> None:
    """Take an exclusive lock; it replaces a lock that this open file already has.

    Without `wait`, BlockingIOError if another open file has a lock; a shared lock of this one may then be released.
    """
    if _FCNTL is not None:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_EX if wait else _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
        return
    module = _require_msvcrt()
    _unlock_range(module, descriptor)
    while not _try_range(module, descriptor, 0, _SHARED_LOCKS):
        if not wait:
            raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))
        time.sleep(_RETRY_SECONDS)


def unlock(descriptor: int) -> None:
    """Release the lock of this open file."""
    if _FCNTL is not None:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_UN)
        return
    _unlock_range(_require_msvcrt(), descriptor)


@contextmanager
def hold_directory(directory: Path) -> Iterator[None]:
    """Wait for an exclusive lock on a directory and hold it during the block."""
    if _FCNTL is not None:
        descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    else:
        descriptor = os.open(directory / _DIRECTORY_LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        lock_exclusive(descriptor)
        yield
    finally:
        os.close(descriptor)


def _require_msvcrt() -> ModuleType:
    if _MSVCRT is None:
        raise Failure("CAPABILITY_MISSING", "This system has no file locks, so a project cannot be used safely.")
    return _MSVCRT


def _try_range(module: ModuleType, descriptor: int, first: int, size: int) -> bool:
    """Lock bytes of the range; False if another open file has a lock on one of them."""
    try:
        _call_locking(module, descriptor, module.LK_NBLCK, first, size)
    except OSError:
        return False
    return True


def _unlock_range(module: ModuleType, descriptor: int) -> None:
    """Release whatever this open file has locked: Windows unlocks only exactly what was locked in one call."""
    for first, size in ((0, _SHARED_LOCKS), *((slot, 1) for slot in range(_SHARED_LOCKS))):
        with suppress(OSError):
            _call_locking(module, descriptor, module.LK_UNLCK, first, size)


def _call_locking(module: ModuleType, descriptor: int, mode: int, first: int, size: int) -> None:
    """Call `locking`, which works from the current position; the position is restored."""
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, _RANGE_START + first, os.SEEK_SET)
    try:
        module.locking(descriptor, mode, size)
    finally:
        os.lseek(descriptor, position, os.SEEK_SET)
