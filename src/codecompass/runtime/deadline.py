"""Deadlines: one thread that runs timeouts, and PendingCall, which accepts exactly one reply."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from codecompass.contract.envelope import Reply

_SLACK = 64
"""Entries of settled calls that may stay in the heap before it is rebuilt."""

_MAX_WAIT_S = 3_600.0
"""Longest wait of the thread in seconds: platforms limit the length of a wait."""


class PendingCall:
    """A running call. The first thread that settles it decides the reply; later ones are ignored."""

    def __init__(self) -> None:
        self.future: Future[Reply] = Future()
        # A running future cannot be cancelled from outside: the reply must come through `set_reply`.
        self.future.set_running_or_notify_cancel()
        self._lock = threading.Lock()
        self._settled = False
        self.cancel: Callable[[], bool] = lambda: False
        """Stop the call, queued or running; True when that decided its reply."""

    @property
    def is_settled(self) -> bool:
        return self._settled

    def try_settle(self) -> bool:
        """Try to get the right to reply; the caller that gets True must call `set_reply`."""
        with self._lock:
            won, self._settled = not self._settled, True
        return won

    def set_reply(self, reply: Reply) -> None:
        """Set the final reply."""
        self.future.set_result(reply)


class DeadlineScheduler:
    """Runs functions at times of the monotonic clock, on one thread, unless they are cancelled before."""

    def __init__(self) -> None:
        # The heap holds only times and tokens; the function of a cancelled entry is dropped at once.
        self._heap: list[tuple[float, int]] = []
        self._due: dict[int, Callable[[], None]] = {}
        self._order = itertools.count()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None

    def schedule(self, moment: float, run: Callable[[], None]) -> int:
        """Schedule a function, which must be quick and must not raise; return the token that cancels it."""
        token = next(self._order)
        with self._wake:
            self._due[token] = run
            if len(self._heap) > _SLACK + 2 * len(self._due):
                # Most calls end long before their deadline: their entries must not accumulate until then.
                self._heap = [entry for entry in self._heap if entry[1] in self._due]
                heapq.heapify(self._heap)
            heapq.heappush(self._heap, (moment, token))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            elif self._heap[0][1] == token:
                # Only an entry before all others changes how long the thread may sleep.
                self._wake.notify()
        return token

    def cancel(self, token: int) -> None:
        """Cancel an entry; does nothing when it has already run."""
        with self._wake:
            self._due.pop(token, None)

    def __len__(self) -> int:
        """Number of scheduled entries."""
        return len(self._due)

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._heap:
                    self._wake.wait()
                moment, token = self._heap[0]
                left = moment - time.monotonic()
                if left > 0 and token in self._due:
                    self._wake.wait(min(left, _MAX_WAIT_S))
                    continue
                heapq.heappop(self._heap)
                run = self._due.pop(token, None)
            if run is not None:
                run()
