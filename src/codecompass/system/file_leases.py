"""File leases: ask the system whether any process has a file open for writing."""

import os
import signal

from codecompass.system.optional_module import import_optional

_FCNTL = import_optional("fcntl")
_LEASE = getattr(_FCNTL, "F_SETLEASE", None)


def may_be_written(path: str) -> bool:
    """Whether any process has a file open for writing, including through a mapping; True if that is unknown.

    The system grants a read lease only on a file that no process has open for writing.
    """
    if _FCNTL is None or _LEASE is None:
        return True
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return True
    try:
        # A process that opens the file for writing now makes the system send us a signal. The default one, SIGIO, would
        # end this process; SIGURG is ignored by default.
        _FCNTL.fcntl(descriptor, _FCNTL.F_SETSIG, signal.SIGURG)
        _FCNTL.fcntl(descriptor, _LEASE, _FCNTL.F_RDLCK)
        _FCNTL.fcntl(descriptor, _LEASE, _FCNTL.F_UNLCK)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
