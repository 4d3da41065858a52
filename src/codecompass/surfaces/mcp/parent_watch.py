"""Parent watch: detect the end of the process that started this one.

The end of the input usually tells it, but not when another process still holds our stdin open. The kernel could send a
signal (PR_SET_PDEATHSIG), but that is tied to the thread that started us, and programs start servers from threads that
end long before they do. So a thread waits for the process itself, or polls every second where that is not possible.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Callable

POLL_S = 1.0
SETTLE_S = 0.01
"""Delay between the end of the parent and the moment its children see it."""


def watch_parent(gone: Callable[[], None]) -> None:
    """Call `gone`, from another thread, once the parent has ended."""
    if sys.platform == "win32":
        return  # a process keeps its parent's id there, and ends with its console or its input
    parent = os.getppid()
    if parent > 1:
        threading.Thread(target=_watch, args=(parent, gone), name="parent", daemon=True).start()


def _watch(parent: int, gone: Callable[[], None]) -> None:
    handle = _open_pidfd(parent)
    # Checked after opening: the id could meanwhile belong to another process.
    while os.getppid() == parent:
        if handle is None:
            time.sleep(POLL_S)
        else:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            poll.poll()
            time.sleep(SETTLE_S)
    gone()


def _open_pidfd(pid: int) -> int | None:
    """Open a descriptor that becomes readable when the process ends; None if the system has none."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
