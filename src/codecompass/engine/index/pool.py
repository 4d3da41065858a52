"""The pool: parse workers under limits of time, size and memory.

A batch that kills or hangs its worker is tried again file by file; a file that does it alone is poison: it is recorded
as such and indexed as text.
"""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import TypeVar

import msgspec

from codecompass.engine.index.task import HEADER, Parsed, Task, frame
from codecompass.errors import Failure
from codecompass.repo.process import Conversation

BATCH_BYTES = 192 * 1024
BATCH_FILES = 32
AHEAD = 2
"""Batches in flight per worker: one being parsed, one waiting, so that no worker idles."""
_PARSED = msgspec.msgpack.Decoder(list[Parsed])
_ENCODER = msgspec.msgpack.Encoder()
Key = TypeVar("Key")


class WorkerPool:
    """Workers start when first needed and end with the pool."""

    def __init__(self, *, workers: int, timeout_s: float, memory_mb: int, eager: bool = False) -> None:
        self._size = workers if workers > 0 else max(os.cpu_count() or 1, 1)
        self._timeout = timeout_s
        self._memory = memory_mb
        self._threads = ThreadPoolExecutor(self._size, thread_name_prefix="parse")
        self._idle: SimpleQueue[Conversation | None] = SimpleQueue()
        # Where work is certain to come, the first worker loads its libraries while the caller still lists files.
        self._idle.put(self._start() if eager else None)
        for _ in range(self._size - 1):
            self._idle.put(None)

    def run(self, tasks: Iterator[tuple[Key, Task]]) -> Iterator[tuple[Key, Task, Parsed | None]]:
        """Parse lazily and yield as batches finish; None stands for a file that cannot even be read as text."""
        pending: dict[Future[list[Parsed | None]], list[tuple[Key, Task]]] = {}
        batches = _batches(tasks)
        more = True
        while more or pending:
            while more and len(pending) < self._size * AHEAD:
                batch = next(batches, None)
                if batch is None:
                    more = False
                else:
                    pending[self._threads.submit(self._parse, [task for _, task in batch])] = batch
            done, _ = wait(pending, return_when=FIRST_COMPLETED) if pending else (set(), None)
            for future in done:
                batch = pending.pop(future)
                for (key, task), parsed in zip(batch, future.result(), strict=True):
                    yield key, task, parsed

    def _parse(self, tasks: list[Task]) -> list[Parsed | None]:
        try:
            return list(self._ask(tasks))
        except Failure:
            if len(tasks) > 1:
                return [self._parse([task])[0] for task in tasks]
        if tasks[0].language and "poison" not in tasks[0].notes:
            return self._parse([tasks[0]._replace(notes=(*tasks[0].notes, "poison"))])
        return [None]

    def _ask(self, tasks: list[Task]) -> list[Parsed]:
        worker = self._idle.get()
        try:
            if worker is None:
                worker = self._start()
            worker.write(frame(_ENCODER.encode(tasks)))
            size = int.from_bytes(worker.read_exact(HEADER), "little")
            answers = _PARSED.decode(worker.read_exact(size))
        except (Failure, msgspec.DecodeError) as error:
            if worker is not None:
                worker.close()
            self._idle.put(None)
            raise (
                error if isinstance(error, Failure) else Failure("INTERNAL", "A parse worker sent nonsense.")
            ) from error
        self._idle.put(worker)
        return answers

    def _start(self) -> Conversation:
        argv = [sys.executable, "-P", "-m", "codecompass.engine.index.worker", str(self._memory)]
        environment = {"PATH": os.defpath, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
        return Conversation.start(argv, environment, timeout=self._timeout)

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        while not self._idle.empty():
            worker = self._idle.get()
            if worker is not None:
                worker.close()


def _batches(tasks: Iterator[tuple[Key, Task]]) -> Iterator[list[tuple[Key, Task]]]:
    batch: list[tuple[Key, Task]] = []
    size = 0
    for key, task in tasks:
        batch.append((key, task))
        size += len(task.data)
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
