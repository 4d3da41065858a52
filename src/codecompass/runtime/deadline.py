"""Deadlines: one thread that ends calls whose time is over, and Pending, which lets exactly one answer through."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from codecompass.contract.envelope import Reply


class Pending:
    """A call under way. Whoever settles it first decides the answer; everybody later is ignored."""

    def __init__(self) -> None:
        self.future: Future[Reply] = Future()
        # A running future cannot be cancelled from outside: the answer must come through `settle`.
        self.future.set_running_or_notify_cancel()
        self._lock = threading.Lock()
        self._settled = False
        self.cancel: Callable[[], bool] = lambda: False
        """Stop the call, queued or running; True when that decided its answer."""

    @property
    def settled(self) -> bool:
        return self._settled

    def settle(self, reply: Reply) -> bool:
        """Give the terminal answer; False when one was given before."""
        with self._lock:
            if self._settled:
                return False
            self._settled = True
        self.future.set_result(reply)
        return True


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
