"""Deadlines: one thread that ends calls whose time is over, and Pending, which lets exactly one answer through."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from codecompass.contract.envelope import Reply

_SLACK = 64
"""Entries of settled calls that may stay in the heap before it is swept."""

_LONGEST_S = 3_600.0
"""The thread looks up at least this often: a wait may not be longer than the platform can count."""


class Pending:
    """A call under way. Whoever claims it first decides the answer; everybody later is ignored."""

    def __init__(self) -> None:
        self.future: Future[Reply] = Future()
        # A running future cannot be cancelled from outside: the answer must come through `give`.
        self.future.set_running_or_notify_cancel()
        self._lock = threading.Lock()
        self._settled = False
        self.cancel: Callable[[], bool] = lambda: False
        """Stop the call, queued or running; True when that decided its answer."""

    @property
    def settled(self) -> bool:
        return self._settled

    def claim(self) -> bool:
        """Win the right to answer; whoever gets True must `give`."""
        with self._lock:
            won, self._settled = not self._settled, True
        return won

    def give(self, reply: Reply) -> None:
        """The terminal answer."""
        self.future.set_result(reply)


class Deadlines:
    """Runs things at moments of the monotonic clock, on one thread, unless they are called off before."""

    def __init__(self) -> None:
        # The heap keeps two numbers an entry; what they stand for leaves as soon as it is called off.
        self._heap: list[tuple[float, int]] = []
        self._due: dict[int, Callable[[], None]] = {}
        self._order = itertools.count()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None

    def at(self, moment: float, run: Callable[[], None]) -> int:
        """Run something, which must be quick and must not raise, at a moment; gives the number to call it off by."""
        token = next(self._order)
        with self._wake:
            self._due[token] = run
            if len(self._heap) > _SLACK + 2 * len(self._due):
                # Calls mostly end long before their time: their entries must not pile up until then.
                self._heap = [entry for entry in self._heap if entry[1] in self._due]
                heapq.heapify(self._heap)
            heapq.heappush(self._heap, (moment, token))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            elif self._heap[0][1] == token:
                # Only a moment before all others changes how long the thread may sleep.
                self._wake.notify()
        return token

    def call_off(self, token: int) -> None:
        """Forget an entry; nothing happens when its moment has come already."""
        with self._wake:
            self._due.pop(token, None)

    def __len__(self) -> int:
        """How many entries are still to come."""
        return len(self._due)

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._heap:
                    self._wake.wait()
                moment, token = self._heap[0]
                left = moment - time.monotonic()
                if left > 0 and token in self._due:
                    self._wake.wait(min(left, _LONGEST_S))
                    continue
                heapq.heappop(self._heap)
                run = self._due.pop(token, None)
            if run is not None:
                run()
