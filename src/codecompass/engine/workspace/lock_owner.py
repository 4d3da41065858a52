"""Owner: who holds a lock while it takes care of something, so that others can say for whom they wait."""

import os

from codecompass.repo.process.child_process import process_start_time
from codecompass.store.ports import Owner


def this_process(work: str) -> Owner:
    """Who we are, at that work."""
    return Owner(os.getpid(), process_start_time(os.getpid()), work)
