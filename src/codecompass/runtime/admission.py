"""Admission: a bounded queue in front of a few worker threads, which survives work that never comes back.

A call takes a place when it is admitted and holds it while it waits and runs. Whoever gives up a waiting call frees its
place at once. A worker whose work was given up, and which does not return, is written off: its place is freed and a new
worker takes its seat. Such lost workers are counted and few, because a thread cannot be ended from outside.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from codecompass.errors import Failure

QUEUE_MAX = 64
WORKERS = 4
LOST_MAX = 16
"""Workers that may be lost at a time; with so many stuck something is wrong that more threads would not mend."""


class Place:
    """One admitted piece of work. Its state is only touched under the lock of the admission that gave it."""

    __slots__ = ("number", "state", "work")

    def __init__(self, number: int, work: Callable[[], None]) -> None:
        self.number = number
        self.work = work
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
        # One word for each place that was put in line: workers sleep here, outside the lock.
        self._bell: SimpleQueue[bool] = SimpleQueue()
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
                self._max, self._size, len(self._waiting), self._high_water, self._lost, self._lost_total,
                self._refused,
            )  # fmt: skip

    def submit(self, work: Callable[[], None]) -> Place:
        """Queue one piece of work, which must not raise, or say that there is no room."""
        with self._lock:
            if self._size >= self._max or self._lost >= self._lost_max:
                self._refused += 1
                raise self._refusal(self._size)
            self._count += 1
            place = Place(self._count, work)
            self._waiting[place.number] = place
            self._size += 1
            self._fill_seats()
            if not self._seats:
                self._over(place)
                del self._waiting[place.number]
                self._refused += 1
                raise Failure("QUEUE_OVERLOADED", "The system gives no thread to work with.", self._shown())
            self._high_water = max(self._high_water, self._size)
        self._bell.put(True)
        return place

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
                del self._waiting[place.number]
            return place.state == "running"

    def write_off(self, place: Place) -> bool:
        """Stop counting on a worker that does not come back; False when it did, or when too many are lost already."""
        with self._lock:
            if place.state != "running" or self._lost >= self._lost_max:
                return False
            place.state = "lost"
            self._lost += 1
            self._lost_total += 1
            self._seats -= 1
            self._size -= 1
            self._fill_seats()
            return True

    def close(self) -> None:
        """Let idle workers end."""
        for _ in range(self._seats):
            self._bell.put(False)

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

    def _over(self, place: Place) -> None:
        place.state = "over"
        # The work holds the call's arguments; whoever keeps the place must not keep them.
        place.work = _nothing
        self._size -= 1

    def _serve(self) -> None:
        while self._bell.get():
            with self._lock:
                if not self._waiting:
                    continue
                _, place = self._waiting.popitem(last=False)
                place.state = "running"
                work = place.work
            try:
                work()
            finally:
                with self._lock:
                    was_lost = place.state == "lost"
                    if was_lost:
                        self._lost -= 1
                        place.state = "over"
                        place.work = _nothing
                    else:
                        self._over(place)
            del work, place
            if was_lost:
                # Another thread has this one's seat.
                return


def _nothing() -> None:
    """What is left of work that is over."""
