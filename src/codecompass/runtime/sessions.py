"""Sessions: what each connection did, told to the project's memory beside the answers."""

import threading

from codecompass.contract.port import EnginePort
from codecompass.errors import Failure
from codecompass.model.call import Call

LONGEST = 200
"""Characters of a subject that are kept."""


class Sessions:
    """Notes are a courtesy: where they cannot be written, answers are given all the same."""

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._places: dict[str, set[str | None]] = {}
        """Session → the workspaces where it was noted."""

    def note(self, workspace: str | None, call: Call, kind: str, subject: str) -> None:
        """Remember one thing that a session did."""
        if not subject:
            return
        with self._lock:
            self._places.setdefault(call.session, set()).add(workspace)
        try:
            self._engine.note(workspace, call.session, kind, subject[:LONGEST], call.client)
        except Failure:
            return

    def end(self, session: str) -> None:
        """Remember that a session is over."""
        with self._lock:
            places = self._places.pop(session, set())
        for workspace in places:
            try:
                self._engine.end_session(workspace, session)
            except Failure:
                continue

    def close(self) -> None:
        """End them all."""
        with self._lock:
            names = list(self._places)
        for name in names:
            self.end(name)
