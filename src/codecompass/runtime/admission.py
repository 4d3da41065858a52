"""Admission: a bounded queue in front of a few worker threads."""

import queue
import threading
from collections.abc import Callable

from codecompass.errors import Failure

QUEUE_MAX = 64
WORKERS = 4


class Admission:
    """Runs work on daemon threads; running and waiting together never pass the bound.

    The threads are daemons so that a stuck call cannot keep the process from ending.
    """

    def __init__(self, queue_max: int = QUEUE_MAX, workers: int = WORKERS) -> None:
        self._max = queue_max
        self._size = 0
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._workers = workers
        self._started = 0

    @property
    def size(self) -> int:
        return self._size

    def submit(self, work: Callable[[], None]) -> None:
        """Queue one piece of work, which must not raise, or say that there is no room."""
        with self._lock:
            if self._size >= self._max:
                raise Failure(
                    "QUEUE_OVERLOADED",
                    f"{self._size} calls are running or waiting; no more are taken.",
                    {"queue": {"max": self._max, "size": self._size}},
                )
            self._size += 1
            if self._started < min(self._workers, self._size):
                self._started += 1
                threading.Thread(target=self._serve, name=f"tool-{self._started}", daemon=True).start()
        self._work.put(work)

    def close(self) -> None:
        """Let idle workers end."""
        for _ in range(self._started):
            self._work.put(None)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                work()
            finally:
                with self._lock:
                    self._size -= 1
