"""Sessions: what each connection did, told to the project's memory beside the answers, in the order it happened."""

import threading
from queue import SimpleQueue
from typing import NamedTuple

from codecompass.contract.engine_port import EnginePort
from codecompass.errors import Failure
from codecompass.model.call import Call

MOST_WAITING = 10_000
"""Notes that may wait to be written; a disk that is slower than the calls costs notes, not memory."""
SETTLE_S = 1.0
"""Whoever wants to read what was noted waits so long for notes that are not written yet."""


class _Note(NamedTuple):
    """One thing that a session did; without a kind that it is over."""

    workspace: str | None
    session: str
    kind: str = ""
    subject: str = ""
    client: str = ""


class Sessions:
    """One thread writes, so that no answer waits and no two notes change places.

    Notes are a courtesy: where they cannot be written, answers are given all the same.
    """

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._notes: SimpleQueue[_Note | threading.Event] = SimpleQueue()
        self._writer: threading.Thread | None = None
        self._places: dict[str, set[str | None]] = {}
        """Session → the workspaces where it was noted."""

    def note(self, workspace: str | None, call: Call, kind: str, subject: str) -> None:
        """Remember one thing that a session did."""
        if subject and self._notes.qsize() < MOST_WAITING:
            with self._lock:
                self._places.setdefault(call.session, set()).add(workspace)
            self._put(_Note(workspace, call.session, kind, subject, call.client))

    def end(self, session: str) -> None:
        """Remember that a session is over."""
        with self._lock:
            places = self._places.pop(session, set())
        for workspace in places:
            self._put(_Note(workspace, session))

    def settle(self, seconds: float = SETTLE_S) -> None:
        """Wait until what was noted before is written."""
        if self._writer is not None:
            written = threading.Event()
            self._put(written)
            written.wait(seconds)

    def close(self) -> None:
        """End them all."""
        with self._lock:
            names = list(self._places)
        for name in names:
            self.end(name)
        self.settle()

    def _put(self, note: _Note | threading.Event) -> None:
        with self._lock:
            self._notes.put(note)
            if self._writer is None:
                self._writer = threading.Thread(target=self._write, name="notes", daemon=True)
                self._writer.start()

    def _write(self) -> None:
        while True:
            note = self._notes.get()
            if isinstance(note, threading.Event):
                note.set()
                continue
            try:
                if note.kind:
                    self._engine.note(*note)
                else:
                    self._engine.end_session(note.workspace, note.session)
            except Failure:
                continue
