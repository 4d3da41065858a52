"""Session notes: record in the project's memory what each session did, in order and without delaying answers."""

import threading
from queue import SimpleQueue
from typing import NamedTuple

from codecompass.contract.engine_ports import EnginePort
from codecompass.errors import Failure
from codecompass.model.call import Call

MAX_WAITING = 10_000
"""Notes that may wait to be written; further ones are dropped, so that a slow disk does not fill the memory."""
FLUSH_TIMEOUT_S = 1.0
"""Seconds that a reader waits for notes that are not written yet."""


class _SessionNote(NamedTuple):
    """One action of a session; without a kind, the end of the session."""

    workspace: str | None
    session: str
    kind: str = ""
    subject: str = ""
    client: str = ""


class SessionNotes:
    """Writes notes in one thread, so that no answer waits and the order is preserved.

    Notes are best effort: calls succeed even if their notes cannot be written.
    """

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._notes: SimpleQueue[_SessionNote | threading.Event] = SimpleQueue()
        self._writer: threading.Thread | None = None
        self._workspaces: dict[str, set[str | None]] = {}
        """Session → the workspaces with notes of it."""

    def add_note(self, workspace: str | None, call: Call, kind: str, subject: str) -> None:
        """Queue a note about one action of a session."""
        if subject and self._notes.qsize() < MAX_WAITING:
            with self._lock:
                self._workspaces.setdefault(call.session, set()).add(workspace)
            self._enqueue(_SessionNote(workspace, call.session, kind, subject, call.client))

    def end_session(self, session: str) -> None:
        """Queue the end of a session."""
        with self._lock:
            places = self._workspaces.pop(session, set())
        for workspace in places:
            self._enqueue(_SessionNote(workspace, session))

    def flush(self, seconds: float = FLUSH_TIMEOUT_S) -> None:
        """Wait until all queued notes are written."""
        if self._writer is not None:
            written = threading.Event()
            self._enqueue(written)
            written.wait(seconds)

    def close(self) -> None:
        """End all sessions and write their notes."""
        with self._lock:
            names = list(self._workspaces)
        for name in names:
            self.end_session(name)
        self.flush()

    def _enqueue(self, note: _SessionNote | threading.Event) -> None:
        with self._lock:
            self._notes.put(note)
            if self._writer is None:
                self._writer = threading.Thread(target=self._write_notes, name="notes", daemon=True)
                self._writer.start()

    def _write_notes(self) -> None:
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
