"""Deadlines: one thread that ends calls whose time is over, and Pending, which lets exactly one answer through."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from codecompass.contract.envelope import Reply


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
    """Calls back when a moment has come, unless the call is settled by then."""

    def __init__(self) -> None:
        # The heap keeps two numbers a call; what they stand for leaves as soon as the call is settled.
        self._heap: list[tuple[float, int]] = []
        self._expire: dict[int, Callable[[], None]] = {}
        self._order = itertools.count()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None

    def watch(self, moment: float, pending: Pending, expire: Callable[[], None]) -> None:
        """Run `expire`, which must be quick and must not raise, at a moment of the monotonic clock."""
        token = next(self._order)
        self._expire[token] = expire
        pending.future.add_done_callback(lambda _: self._expire.pop(token, None))
        with self._wake:
            heapq.heappush(self._heap, (moment, token))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._heap:
                    self._wake.wait()
                moment, token = self._heap[0]
                left = moment - time.monotonic()
                if left > 0 and token in self._expire:
                    self._wake.wait(left)
                    continue
                heapq.heappop(self._heap)
            expire = self._expire.pop(token, None)
            if expire is not None:
                expire()
