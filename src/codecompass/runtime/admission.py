"""Admission: a bounded queue in front of a few worker threads, which survives calls that never return.

A call occupies a slot of the queue while it waits and runs. Releasing a waiting call frees its slot at once. A worker
whose call was released and which does not return is abandoned: its slot is freed and a new worker replaces it. The
number of such lost workers is limited, because a thread cannot be ended from outside.

Quick calls do not wait behind long ones: they go first, and one additional worker runs nothing else. Every fourth turn
goes to a long call, so that quick calls cannot starve the long ones.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from codecompass.errors import Failure

QUEUE_MAX = 64
WORKERS = 4
_LONG_CALL_TURN = 4
"""Every so many turns a call that is not quick goes first."""
LOST_MAX = 16
"""Workers that may be lost at a time; if so many hang, more threads would not help."""


class QueueSlot:
    """One admitted call. Its state is only changed under the lock of its Admission."""

    __slots__ = ("number", "quick", "reserved", "state", "work")

    def __init__(self, number: int, work: Callable[[], None], *, quick: bool) -> None:
        self.number = number
        self.work = work
        self.quick = quick
        self.reserved = False
        """Whether it runs on the worker for quick calls."""
        self.state = "waiting"
        """`waiting`, `running`, `lost` (still running, but abandoned), `over`."""


@dataclass(frozen=True, slots=True)
class QueueState:
    """Sizes and counters of the queue."""

    max: int
    size: int
    """Running and waiting."""
    waiting: int
    high_water: int
    """The largest size so far."""
    lost: int
    """Workers that are abandoned and have not returned."""
    lost_total: int
    refused: int


class Admission:
    """Runs calls on daemon threads; running and waiting calls together never exceed the limit.

    The threads are daemons so that a stuck call cannot prevent the process from ending.
    """

    def __init__(self, queue_max: int = QUEUE_MAX, workers: int = WORKERS, lost_max: int = LOST_MAX) -> None:
        self._max = queue_max
        self._workers = workers
        self._lost_max = lost_max
        self._lock = threading.Lock()
        self._waiting: OrderedDict[int, QueueSlot] = OrderedDict()
        self._quick: OrderedDict[int, QueueSlot] = OrderedDict()
        # One message for each queued slot: workers wait here, outside the lock.
        self._wakeups: SimpleQueue[bool] = SimpleQueue()
        self._quick_wakeups: SimpleQueue[bool] = SimpleQueue()
        self._has_quick_worker = False
        self._turn = self._size = 0
        self._worker_count = 0
        """Threads that take calls: all but the lost ones and the quick worker."""
        self._lost = self._lost_total = 0
        self._high_water = self._refused = self._count = 0

    @property
    def size(self) -> int:
        return self._size

    def get_state(self) -> QueueState:
        """Return the current sizes and counters."""
        with self._lock:
            return QueueState(
                self._max, self._size, len(self._waiting) + len(self._quick), self._high_water, self._lost,
                self._lost_total, self._refused,
            )  # fmt: skip

    def submit(self, work: Callable[[], None], *, quick: bool = False) -> QueueSlot:
        """Queue one call, which must not raise; QUEUE_OVERLOADED when the queue is full."""
        with self._lock:
            if self._size >= self._max or self._lost >= self._lost_max:
                self._refused += 1
                raise self._make_refusal(self._size)
            self._count += 1
            place = QueueSlot(self._count, work, quick=quick)
            line = self._select_queue(place)
            line[place.number] = place
            self._size += 1
            self._start_workers()
            if not self._worker_count:
                self._finish(place)
                del line[place.number]
                self._refused += 1
                raise Failure("QUEUE_OVERLOADED", "The system cannot start a worker thread.", self._describe_queue())
            self._high_water = max(self._high_water, self._size)
        self._wakeups.put(True)
        if quick:
            self._quick_wakeups.put(True)
        return place

    def _select_queue(self, place: QueueSlot) -> OrderedDict[int, QueueSlot]:
        return self._quick if place.quick else self._waiting

    def find_refusal(self, held: int) -> Failure | None:
        """Return the failure with which one more call would be refused, or None; counts as a refusal.

        `held` is the number of calls that a surface has accepted and may not have submitted yet, so that a burst is
        refused early.
        """
        with self._lock:
            size = max(self._size, held)
            if size < self._max and self._lost < self._lost_max:
                return None
            self._refused += 1
            return self._make_refusal(size)

    def release(self, place: QueueSlot) -> bool:
        """Release a slot. A waiting one is freed at once; True means that the call runs, and only its end frees it."""
        with self._lock:
            if place.state == "waiting":
                self._finish(place)
                del self._select_queue(place)[place.number]
            return place.state == "running"

    def abandon(self, place: QueueSlot) -> bool:
        """Abandon a worker that does not return; False when it has returned, or when too many are lost already."""
        with self._lock:
            if place.state != "running" or self._lost >= self._lost_max:
                return False
            place.state = "lost"
            self._lost += 1
            self._lost_total += 1
            if place.reserved:
                self._has_quick_worker = False
            else:
                self._worker_count -= 1
            self._size -= 1
            self._start_workers()
            return True

    def close(self) -> None:
        """Let idle workers end."""
        for _ in range(self._worker_count):
            self._wakeups.put(False)
        self._quick_wakeups.put(False)

    def _make_refusal(self, size: int) -> Failure:
        if size >= self._max:
            message = f"{size} calls are running or waiting; no more are accepted."
            return Failure("QUEUE_OVERLOADED", message, {"queue": {"max": self._max, "size": size}})
        message = f"{self._lost} abandoned calls still occupy their threads; no more are accepted."
        return Failure(
            "QUEUE_OVERLOADED", message, {**self._describe_queue(), "lostWorkers": self._lost},
            hint="Try again in a minute; if this persists, restart the server: a disk or file system may hang.",
        )  # fmt: skip

    def _describe_queue(self) -> dict[str, object]:
        return {"queue": {"max": self._max, "size": self._size}}

    def _start_workers(self) -> None:
        """Start as many threads as there are calls, up to the number of workers. The caller holds the lock."""
        while self._worker_count < min(self._workers, self._size):
            try:
                threading.Thread(target=self._run_worker, name=f"tool-{self._count}", daemon=True).start()
            except RuntimeError:
                # A limit of the system: the existing workers continue, and the next call tries again.
                return
            self._worker_count += 1
        if self._quick and not self._has_quick_worker:
            try:
                threading.Thread(target=self._run_quick_worker, name="tool-quick", daemon=True).start()
            except RuntimeError:
                return
            self._has_quick_worker = True

    def _finish(self, place: QueueSlot) -> None:
        place.state = "over"
        # The function refers to the call's arguments, which must not live as long as the slot.
        place.work = _do_nothing
        self._size -= 1

    def _run_worker(self) -> None:
        while self._wakeups.get():
            if self._run(self._take_next()):
                # Another thread has replaced this one.
                return

    def _run_quick_worker(self) -> None:
        """Run only quick calls; a wakeup whose call another worker has taken does nothing."""
        while self._quick_wakeups.get():
            with self._lock:
                place = self._pop(self._quick)
                if place is not None:
                    place.reserved = True
            if self._run(place):
                return

    def _take_next(self) -> QueueSlot | None:
        """Take the next call; None if another worker has taken it."""
        with self._lock:
            self._turn += 1
            lines = (self._waiting, self._quick) if self._turn % _LONG_CALL_TURN == 0 else (self._quick, self._waiting)
            return self._pop(lines[0]) or self._pop(lines[1])

    def _pop(self, line: OrderedDict[int, QueueSlot]) -> QueueSlot | None:
        if not line:
            return None
        place = line.popitem(last=False)[1]
        place.state = "running"
        return place

    def _run(self, place: QueueSlot | None) -> bool:
        """Run the call of a slot; return whether the worker was abandoned meanwhile."""
        if place is None:
            return False
        try:
            place.work()
        finally:
            with self._lock:
                was_lost = place.state == "lost"
                if was_lost:
                    self._lost -= 1
                    place.state = "over"
                    place.work = _do_nothing
                else:
                    self._finish(place)
        return was_lost


def _do_nothing() -> None:
    """Replacement for the function of a finished call."""
