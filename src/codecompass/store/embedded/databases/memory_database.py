"""Memory database (memory.db): cached results of mining and checking, by content and by commit. Derived."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import apsw
import xxhash

from codecompass.errors import Failure
from codecompass.store.embedded.databases.derived_database import DerivedFile

MEMORY_VERSION = 2
MAX_BYTES = 2**29
_ASKED = 400
_SUM = 8
# `pack` begins with its own checksum, because page checksums do not cover SQLite's index of pages in the log.
_SCHEMA = """
CREATE TABLE kept (kind TEXT NOT NULL, key BLOB NOT NULL, pack BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
"""


class EmbeddedMemory(DerivedFile):
    """A cache of values by kind and key."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _SCHEMA, MEMORY_VERSION, MAX_BYTES)

    def find(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = list(keys)
        found: dict[bytes, bytes] = {}
        for at in range(0, len(wanted), _ASKED):
            part = wanted[at : at + _ASKED]
            marks = ", ".join("?" * len(part))
            rows = self._rows(f"SELECT key, pack FROM kept WHERE kind = ? AND key IN ({marks})", (kind, *part))
            for key, signed in rows:
                pack = self._decoded(signed, partial(_unsigned, kind, key))
                if pack is not None:
                    found[key] = pack
        return found

    def keep(self, kind: str, rows: Iterable[tuple[bytes, bytes]]) -> None:
        values = [(kind, key, _sum(kind, key, pack) + pack) for key, pack in rows]

        def write(connection: apsw.Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO kept VALUES (?, ?, ?)", values)

        if values:
            try:
                self._write(write)
            except Failure:
                # With a full disk or a busy file, the next request only takes longer.
                return


def _sum(kind: str, key: bytes, pack: bytes) -> bytes:
    return xxhash.xxh3_64_digest(b"\0".join((kind.encode(), key, pack)))


def _unsigned(kind: str, key: bytes, signed: bytes) -> bytes:
    """Return a value without its checksum; ValueError if the checksum does not match."""
    pack = signed[_SUM:]
    if signed[:_SUM] != _sum(kind, key, pack):
        raise ValueError("the value does not match its checksum")
    return pack
