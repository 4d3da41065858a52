"""The pool: parse workers under limits of time, size and memory.

A batch that kills or hangs its worker is tried again file by file; a file that does it alone is poison: it is recorded
as such and indexed as text.
"""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import TypeVar

import msgspec

from codecompass.engine.index.parse_task import HEADER, MASKED, Parsed, Task, frame
from codecompass.errors import Failure
from codecompass.repo.process.worker_process import Conversation

BATCH_BYTES = 192 * 1024
BATCH_FILES = 32
AHEAD = 2
"""Batches in flight per worker: one being parsed, one waiting, so that no worker idles."""
CHOICE = 6
"""Batches held back to choose from."""
_PARSED = msgspec.msgpack.Decoder(list[Parsed])
_ENCODER = msgspec.msgpack.Encoder()
Key = TypeVar("Key")


class _Seat:
    """One worker's place: the process while it runs, the thread that talks to it, and the languages it has loaded."""

    def __init__(self, number: int) -> None:
        self.worker: Conversation | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix=f"parse-{number}")
        self.languages: set[str] = set()
        self.load = 0
        """Batches given to it and not answered yet."""


class WorkerPool:
    """Workers start when first needed and end with the pool."""

    def __init__(
        self, *, workers: int, timeout_s: float, memory_mb: int, eager: bool = False, rules: tuple[str, ...] = (),
        dictionary: str = "", masked: bool = True,
    ) -> None:  # fmt: skip
        size = workers if workers > 0 else max(os.cpu_count() or 1, 1)
        self._timeout = timeout_s
        self._memory = memory_mb
        self._rules = rules
        self._dictionary = dictionary
        self._masked = masked
        self._seats = [_Seat(number) for number in range(size)]
        self._dealing = Lock()
        """Several questions may share a pool."""
        self._closed = False
        if eager:
            # Where work is certain to come, the first worker loads its libraries while the caller still lists files.
            self._seats[0].worker = self._start()

    def run(self, tasks: Iterator[tuple[Key, Task]]) -> Iterator[tuple[Key, Task, Parsed | None]]:
        """Parse lazily and yield as batches finish; None stands for a file that cannot even be read as text."""
        pending: dict[Future[list[Parsed | None]], tuple[_Seat, list[tuple[Key, Task]]]] = {}
        waiting: list[list[tuple[Key, Task]]] = []
        batches = _batches(tasks)
        more = True
        while more or waiting or pending:
            while more and len(waiting) < CHOICE:
                batch = next(batches, None)
                if batch is None:
                    more = False
                else:
                    waiting.append(batch)
                self._deal(waiting, pending)
            self._deal(waiting, pending)
            done, _ = wait(pending, return_when=FIRST_COMPLETED) if pending else (set(), None)
            for future in done:
                seat, batch = pending.pop(future)
                with self._dealing:
                    seat.load -= 1
                self._deal(waiting, pending)
                for (key, task), parsed in zip(batch, future.result(), strict=True):
                    yield key, task, parsed

    def _deal(
        self,
        waiting: list[list[tuple[Key, Task]]],
        pending: dict[Future[list[Parsed | None]], tuple[_Seat, list[tuple[Key, Task]]]],
    ) -> None:
        """Give every worker that has room a batch, best one of a language that it has loaded: loading takes a while."""
        with self._dealing:
            for seat in sorted(self._seats, key=lambda seat: seat.load):
                if not waiting or seat.load >= AHEAD:
                    continue
                loaded = set().union(*(other.languages for other in self._seats))
                batch = next(
                    (one for one in waiting if one[0][1].language in seat.languages),
                    next((one for one in waiting if one[0][1].language not in loaded), waiting[0]),
                )
                waiting.remove(batch)
                seat.languages.add(batch[0][1].language)
                seat.load += 1
                future = seat.thread.submit(self._parse, seat, [task for _, task in batch])
                pending[future] = (seat, batch)

    def _parse(self, seat: _Seat, tasks: list[Task]) -> list[Parsed | None]:
        try:
            return list(self._ask(seat, tasks))
        except Failure:
            if len(tasks) > 1:
                return [self._parse(seat, [task])[0] for task in tasks]
        if tasks[0].language and "poison" not in tasks[0].notes:
            return self._parse(seat, [tasks[0]._replace(notes=(*tasks[0].notes, "poison"))])
        return [None]

    def _ask(self, seat: _Seat, tasks: list[Task]) -> list[Parsed]:
        try:
            if seat.worker is None and not self._closed:
                seat.worker = self._start()
            if seat.worker is None or self._closed:
                raise Failure("CANCELLED", "The parse workers are being ended.")
            seat.worker.write(frame(_ENCODER.encode(tasks)))
            size = 0
            while not size:  # an empty frame says that a long file is still being read, see ALIVE
                size = int.from_bytes(seat.worker.read_exact(HEADER), "little")
            return _PARSED.decode(seat.worker.read_exact(size))
        except (Failure, msgspec.DecodeError) as error:
            if seat.worker is not None:
                seat.worker.close()
            seat.worker = None
            seat.languages = set()
            raise (
                error if isinstance(error, Failure) else Failure("INTERNAL", "A parse worker sent nonsense.")
            ) from error

    def _start(self) -> Conversation:
        argv = [sys.executable, "-P", "-m", "codecompass.engine.index.parse_worker"]
        argv += [str(os.getpid()), str(self._memory), self._dictionary, MASKED if self._masked else "plain"]
        argv += self._rules
        environment = {"PATH": os.defpath, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
        return Conversation.start(argv, environment, timeout=self._timeout, leaf=True)

    def close(self) -> None:
        """End the workers; one that is still at work is not waited for."""
        self._closed = True
        for seat in self._seats:
            worker = seat.worker
            if worker is not None and seat.load:
                worker.abort()
        for seat in self._seats:
            seat.thread.shutdown(wait=True, cancel_futures=True)
            if seat.worker is not None:
                seat.worker.close()
                seat.worker = None


def _batches(tasks: Iterator[tuple[Key, Task]]) -> Iterator[list[tuple[Key, Task]]]:
    """Tasks of one language each, so that a worker need not load all of them."""
    open_now: dict[str, list[tuple[Key, Task]]] = {}
    sizes: dict[str, int] = {}
    for key, task in tasks:
        name = task.language
        open_now.setdefault(name, []).append((key, task))
        sizes[name] = sizes.get(name, 0) + len(task.data)
        if sizes[name] >= BATCH_BYTES or len(open_now[name]) >= BATCH_FILES:
            yield open_now.pop(name)
            sizes[name] = 0
    yield from open_now.values()
