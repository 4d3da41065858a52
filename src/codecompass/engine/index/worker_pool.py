"""Worker pool: parse workers with limits of time, size and memory.

A batch that kills or hangs its worker is retried file by file; a file that does so alone is marked as poison and
indexed as text.
"""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import Protocol, TypeVar

import msgspec

from codecompass.engine.index.parse_task import HEADER_BYTES, MASK_ARGUMENT, ParsedBlob, ParseTask, encode_frame
from codecompass.errors import Failure
from codecompass.repo.process.worker_process import WorkerProcess

BATCH_BYTES = 192 * 1024
BATCH_FILES = 32
BATCHES_PER_WORKER = 2
"""Batches in flight per worker: one being parsed, one waiting, so that no worker idles."""
MAX_WAITING_BATCHES = 6
"""Batches that wait for assignment, so that a worker can get one of a language it has loaded."""
_PARSED = msgspec.msgpack.Decoder(list[ParsedBlob])
_ENCODER = msgspec.msgpack.Encoder()
Key = TypeVar("Key")


class BlobParser(Protocol):
    """What a sync parses new contents with: a pool of workers, or this process."""

    def run(self, tasks: Iterator[tuple[Key, ParseTask]]) -> Iterator[tuple[Key, ParseTask, ParsedBlob | None]]: ...


class _WorkerSlot:
    """One worker slot: the process while it runs, its thread, and the languages it has loaded."""

    def __init__(self, number: int) -> None:
        self.worker: WorkerProcess | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix=f"parse-{number}")
        self.languages: set[str] = set()
        self.pending = 0
        """Batches assigned and not finished."""


class WorkerPool:
    """Parses tasks in worker processes, which start when first needed and end with the pool."""

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
        self._slots = [_WorkerSlot(number) for number in range(size)]
        self._assign_lock = Lock()
        """Several queries may share a pool."""
        self._closed = False
        if eager:
            # If work is certain, the first worker loads its libraries while the caller still lists files.
            self._slots[0].worker = self._start_worker()

    def run(self, tasks: Iterator[tuple[Key, ParseTask]]) -> Iterator[tuple[Key, ParseTask, ParsedBlob | None]]:
        """Parse lazily and yield results as batches finish; None for a file that cannot even be read as text."""
        pending: dict[Future[list[ParsedBlob | None]], tuple[_WorkerSlot, list[tuple[Key, ParseTask]]]] = {}
        waiting: list[list[tuple[Key, ParseTask]]] = []
        batches = _group_by_language(tasks)
        more = True
        while more or waiting or pending:
            while more and len(waiting) < MAX_WAITING_BATCHES:
                batch = next(batches, None)
                if batch is None:
                    more = False
                else:
                    waiting.append(batch)
                self._assign_batches(waiting, pending)
            self._assign_batches(waiting, pending)
            done, _ = wait(pending, return_when=FIRST_COMPLETED) if pending else (set(), None)
            for future in done:
                slot, batch = pending.pop(future)
                with self._assign_lock:
                    slot.pending -= 1
                self._assign_batches(waiting, pending)
                for (key, task), parsed in zip(batch, future.result(), strict=True):
                    yield key, task, parsed

    def _assign_batches(
        self,
        waiting: list[list[tuple[Key, ParseTask]]],
        pending: dict[Future[list[ParsedBlob | None]], tuple[_WorkerSlot, list[tuple[Key, ParseTask]]]],
    ) -> None:
        """Assign a batch to every worker with capacity, preferably of a language it has loaded: loading is slow."""
        with self._assign_lock:
            for slot in sorted(self._slots, key=lambda slot: slot.pending):
                if not waiting or slot.pending >= BATCHES_PER_WORKER:
                    continue
                loaded = set().union(*(other.languages for other in self._slots))
                batch = next(
                    (one for one in waiting if one[0][1].language in slot.languages),
                    next((one for one in waiting if one[0][1].language not in loaded), waiting[0]),
                )
                waiting.remove(batch)
                slot.languages.add(batch[0][1].language)
                slot.pending += 1
                future = slot.thread.submit(self._parse_batch, slot, [task for _, task in batch])
                pending[future] = (slot, batch)

    def _parse_batch(self, slot: _WorkerSlot, tasks: list[ParseTask]) -> list[ParsedBlob | None]:
        try:
            return list(self._send_batch(slot, tasks))
        except Failure:
            if len(tasks) > 1:
                return [self._parse_batch(slot, [task])[0] for task in tasks]
        if tasks[0].language and "poison" not in tasks[0].notes:
            return self._parse_batch(slot, [tasks[0]._replace(notes=(*tasks[0].notes, "poison"))])
        return [None]

    def _send_batch(self, slot: _WorkerSlot, tasks: list[ParseTask]) -> list[ParsedBlob]:
        try:
            if slot.worker is None and not self._closed:
                slot.worker = self._start_worker()
            if slot.worker is None or self._closed:
                raise Failure("CANCELLED", "The parse workers are stopping.")
            slot.worker.write(encode_frame(_ENCODER.encode(tasks)))
            size = 0
            while not size:  # an empty frame is a heartbeat: the worker is still parsing a long file
                size = int.from_bytes(slot.worker.read_exact(HEADER_BYTES), "little")
            return _PARSED.decode(slot.worker.read_exact(size))
        except (Failure, msgspec.DecodeError) as error:
            if slot.worker is not None:
                slot.worker.close()
            slot.worker = None
            slot.languages = set()
            raise (
                error if isinstance(error, Failure) else Failure("INTERNAL", "A parse worker sent an invalid reply.")
            ) from error

    def _start_worker(self) -> WorkerProcess:
        argv = [sys.executable, "-P", "-m", "codecompass.engine.index.parse_worker"]
        argv += [str(os.getpid()), str(self._memory), self._dictionary, MASK_ARGUMENT if self._masked else "plain"]
        argv += self._rules
        environment = {"PATH": os.defpath, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
        return WorkerProcess.start(argv, environment, timeout=self._timeout, spawns_nothing=True)

    def close(self) -> None:
        """Stop the workers, without waiting for running batches."""
        self._closed = True
        for slot in self._slots:
            worker = slot.worker
            if worker is not None and slot.pending:
                worker.abort()
        for slot in self._slots:
            slot.thread.shutdown(wait=True, cancel_futures=True)
            if slot.worker is not None:
                slot.worker.close()
                slot.worker = None


def _group_by_language(tasks: Iterator[tuple[Key, ParseTask]]) -> Iterator[list[tuple[Key, ParseTask]]]:
    """Group tasks into batches of one language each, so that a worker need not load every language."""
    open_now: dict[str, list[tuple[Key, ParseTask]]] = {}
    sizes: dict[str, int] = {}
    for key, task in tasks:
        name = task.language
        open_now.setdefault(name, []).append((key, task))
        sizes[name] = sizes.get(name, 0) + len(task.data)
        if sizes[name] >= BATCH_BYTES or len(open_now[name]) >= BATCH_FILES:
            yield open_now.pop(name)
            sizes[name] = 0
    yield from open_now.values()
