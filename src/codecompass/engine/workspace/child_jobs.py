"""Child jobs: the job processes that this process started, so that none outlives it.

On Linux the kernel ends them with this process (see `repo/process/supervisor.py`). Other systems cannot, so closing
the engine ends them too. Such a job counts as interrupted.
"""

from threading import Lock

from codecompass.repo.process.child_process import SpawnedProcess, is_alive, stop_tree


class ChildJobs:
    """Set of running child processes. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._spawned: list[SpawnedProcess] = []

    def add(self, child: SpawnedProcess) -> None:
        with self._lock:
            self._spawned = [*(other for other in self._spawned if is_alive(*other)), child]

    def stop(self) -> None:
        """Kill all running children at once: a job may be killed at any point, and the caller is exiting."""
        with self._lock:
            running, self._spawned = self._spawned, []
        for child in running:
            if is_alive(*child):
                stop_tree(*child, grace=0.0)
