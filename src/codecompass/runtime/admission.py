"""Admission: a bounded queue in front of a few worker threads, which survives work that never comes back.

A call takes a place when it is admitted and holds it while it waits and runs. Whoever gives up a waiting call frees its
place at once. A worker whose work was given up, and which does not return, is written off: its place is freed and a new
worker takes its seat. Such lost workers are counted and few, because a thread cannot be ended from outside.

Quick calls do not wait behind long ones: they go first, and one worker more than the setting says takes nothing else.
Every fourth turn belongs to the long ones, so that no flood of quick calls can keep them waiting for ever.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from codecompass.errors import Failure

QUEUE_MAX = 64
WORKERS = 4
_LONG_TURN = 4
"""Every so many turns a call that is not quick goes first."""
LOST_MAX = 16
"""Workers that may be lost at a time; with so many stuck something is wrong that more threads would not mend."""


class Place:
    """One admitted piece of work. Its state is only touched under the lock of the admission that gave it."""

    __slots__ = ("number", "quick", "reserved", "state", "work")

    def __init__(self, number: int, work: Callable[[], None], *, quick: bool) -> None:
        self.number = number
        self.work = work
        self.quick = quick
        self.reserved = False
        """Runs on the worker that takes nothing but quick calls."""
        self.state = "waiting"
        """`waiting`, `running`, `lost` (still running, nobody waits for it), `over`."""


@dataclass(frozen=True, slots=True)
class QueueState:
    """How full the queue is, and was."""

    max: int
    size: int
    """Running and waiting."""
    waiting: int
    high_water: int
    """The largest size so far."""
    lost: int
    """Workers that are at work nobody waits for and did not come back."""
    lost_total: int
    refused: int


class Admission:
    """Runs work on daemon threads; running and waiting together never pass the bound.

    The threads are daemons so that a stuck call cannot keep the process from ending.
    """

    def __init__(self, queue_max: int = QUEUE_MAX, workers: int = WORKERS, lost_max: int = LOST_MAX) -> None:
        self._max = queue_max
        self._workers = workers
        self._lost_max = lost_max
        self._lock = threading.Lock()
        self._waiting: OrderedDict[int, Place] = OrderedDict()
        self._quick: OrderedDict[int, Place] = OrderedDict()
        # One word for each place that was put in line: workers sleep here, outside the lock.
        self._bell: SimpleQueue[bool] = SimpleQueue()
        self._quick_bell: SimpleQueue[bool] = SimpleQueue()
        self._has_quick_worker = False
        self._turn = 0
        self._size = 0
        self._seats = 0
        """Threads that take work: all but the lost ones."""
        self._lost = 0
        self._lost_total = 0
        self._high_water = 0
        self._refused = 0
        self._count = 0

    @property
    def size(self) -> int:
        return self._size

    def state(self) -> QueueState:
        """The numbers as they are now."""
        with self._lock:
            return QueueState(
                self._max, self._size, len(self._waiting) + len(self._quick), self._high_water, self._lost,
                self._lost_total, self._refused,
            )  # fmt: skip

    def submit(self, work: Callable[[], None], *, quick: bool = False) -> Place:
        """Queue one piece of work, which must not raise, or say that there is no room."""
        with self._lock:
            if self._size >= self._max or self._lost >= self._lost_max:
                self._refused += 1
                raise self._refusal(self._size)
            self._count += 1
            place = Place(self._count, work, quick=quick)
            line = self._line(place)
            line[place.number] = place
            self._size += 1
            self._fill_seats()
            if not self._seats:
                self._over(place)
                del line[place.number]
                self._refused += 1
                raise Failure("QUEUE_OVERLOADED", "The system gives no thread to work with.", self._shown())
            self._high_water = max(self._high_water, self._size)
        self._bell.put(True)
        if quick:
            self._quick_bell.put(True)
        return place

    def _line(self, place: Place) -> OrderedDict[int, Place]:
        return self._quick if place.quick else self._waiting

    def refusal(self, held: int) -> Failure | None:
        """Why one more call would be refused, if it would; counts as a refusal.

        `held` are calls that a surface has taken and may not have passed on yet: a burst is turned away at the door.
        """
        with self._lock:
            size = max(self._size, held)
            if size < self._max and self._lost < self._lost_max:
                return None
            self._refused += 1
            return self._refusal(size)

    def leave(self, place: Place) -> bool:
        """Give up a place. A waiting one is free at once; True means that it runs, and only its work can free it."""
        with self._lock:
            if place.state == "waiting":
                self._over(place)
                del self._line(place)[place.number]
            return place.state == "running"

    def write_off(self, place: Place) -> bool:
        """Stop counting on a worker that does not come back; False when it did, or when too many are lost already."""
        with self._lock:
            if place.state != "running" or self._lost >= self._lost_max:
                return False
            place.state = "lost"
            self._lost += 1
            self._lost_total += 1
            if place.reserved:
                self._has_quick_worker = False
            else:
                self._seats -= 1
            self._size -= 1
            self._fill_seats()
            return True

    def close(self) -> None:
        """Let idle workers end."""
        for _ in range(self._seats):
            self._bell.put(False)
        self._quick_bell.put(False)

    def _refusal(self, size: int) -> Failure:
        if size >= self._max:
            said = f"{size} calls are running or waiting; no more are taken."
            return Failure("QUEUE_OVERLOADED", said, {"queue": {"max": self._max, "size": size}})
        said = f"{self._lost} earlier calls were given up and still hold their threads; no more are taken."
        return Failure(
            "QUEUE_OVERLOADED", said, {**self._shown(), "lostWorkers": self._lost},
            hint="Try again in a minute; if this lasts, restart the server: a disk or file system may not answer.",
        )  # fmt: skip

    def _shown(self) -> dict[str, object]:
        return {"queue": {"max": self._max, "size": self._size}}

    def _fill_seats(self) -> None:
        """Under the lock: as many threads as there are calls, up to the number of workers."""
        while self._seats < min(self._workers, self._size):
            try:
                threading.Thread(target=self._serve, name=f"tool-{self._count}", daemon=True).start()
            except RuntimeError:
                # A limit of the system: those that are there go on, and the next call tries again.
                return
            self._seats += 1
        if self._quick and not self._has_quick_worker:
            try:
                threading.Thread(target=self._serve_quick, name="tool-quick", daemon=True).start()
            except RuntimeError:
                return
            self._has_quick_worker = True

    def _over(self, place: Place) -> None:
        place.state = "over"
        # The work holds the call's arguments; whoever keeps the place must not keep them.
        place.work = _nothing
        self._size -= 1

    def _serve(self) -> None:
        while self._bell.get():
            if self._run(self._next()):
                # Another thread has this one's seat.
                return

    def _serve_quick(self) -> None:
        """The worker that takes only quick calls; a bell that another worker answered finds nothing to do."""
        while self._quick_bell.get():
            with self._lock:
                place = self._take(self._quick)
                if place is not None:
                    place.reserved = True
            if self._run(place):
                return

    def _next(self) -> Place | None:
        """The call whose turn it is; None where another worker took it."""
        with self._lock:
            self._turn += 1
            lines = (self._waiting, self._quick) if self._turn % _LONG_TURN == 0 else (self._quick, self._waiting)
            return self._take(lines[0]) or self._take(lines[1])

    def _take(self, line: OrderedDict[int, Place]) -> Place | None:
        if not line:
            return None
        place = line.popitem(last=False)[1]
        place.state = "running"
        return place

    def _run(self, place: Place | None) -> bool:
        """Do the work of a place; whether the worker was written off meanwhile."""
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
                    place.work = _nothing
                else:
                    self._over(place)
        return was_lost


def _nothing() -> None:
    """What is left of work that is over."""
