"""Lock owner: the process and operation that hold a lock, so that waiting processes can name them."""

import os

from codecompass.repo.process.child_process import read_start_time
from codecompass.store.ports import Owner


def make_lock_owner(operation: str) -> Owner:
    """Return a lock owner for this process and operation."""
    return Owner(os.getpid(), read_start_time(os.getpid()), operation)
