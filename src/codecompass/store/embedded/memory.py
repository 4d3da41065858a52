"""memory.db: what mining and checking found, by content and by commit. Derived."""

from collections.abc import Iterable
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.derived import DerivedFile

MEMORY_VERSION = 1
MAX_BYTES = 2**29
_ASKED = 400
_SCHEMA = """
CREATE TABLE kept (kind TEXT NOT NULL, key BLOB NOT NULL, pack BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
"""


class EmbeddedMemory(DerivedFile):
    """Values by kind and key."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _SCHEMA, MEMORY_VERSION, MAX_BYTES)

    def find(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = list(keys)
        found: dict[bytes, bytes] = {}
        for at in range(0, len(wanted), _ASKED):
            part = wanted[at : at + _ASKED]
            marks = ", ".join("?" * len(part))
            found.update(self._rows(f"SELECT key, pack FROM kept WHERE kind = ? AND key IN ({marks})", (kind, *part)))
        return found

    def keep(self, kind: str, rows: Iterable[tuple[bytes, bytes]]) -> None:
        values = [(kind, key, pack) for key, pack in rows]

        def write(connection: apsw.Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO kept VALUES (?, ?, ?)", values)

        if values:
            try:
                self._write(write)
            except Failure:
                # A full disk or a busy file costs time at the next question, and nothing else.
                return
