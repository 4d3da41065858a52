"""Memory database (memory.db): cached results of mining and checking, by content and by commit. Derived."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import apsw
import xxhash

from codecompass.errors import Failure
from codecompass.store.embedded.databases.derived_database import DerivedDatabase

MEMORY_VERSION = 2
MAX_BYTES = 2**29
_BATCH = 400
_CHECKSUM_BYTES = 8
# `pack` begins with its own checksum, because page checksums do not cover SQLite's index of pages in the log.
_SCHEMA = """
CREATE TABLE kept (kind TEXT NOT NULL, key BLOB NOT NULL, pack BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
"""


class EmbeddedMemoryCache(DerivedDatabase):
    """A cache of values by kind and key."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _SCHEMA, MEMORY_VERSION, MAX_BYTES)

    def get_many(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = list(keys)
        found: dict[bytes, bytes] = {}
        for at in range(0, len(wanted), _BATCH):
            part = wanted[at : at + _BATCH]
            marks = ", ".join("?" * len(part))
            rows = self._query(f"SELECT key, pack FROM kept WHERE kind = ? AND key IN ({marks})", (kind, *part))
            for key, signed in rows:
                pack = self._decode(signed, partial(_strip_checksum, kind, key))
                if pack is not None:
                    found[key] = pack
        return found

    def put_many(self, kind: str, rows: Iterable[tuple[bytes, bytes]]) -> None:
        values = [(kind, key, _checksum(kind, key, pack) + pack) for key, pack in rows]

        def write(connection: apsw.Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO kept VALUES (?, ?, ?)", values)

        if values:
            try:
                self._write(write)
            except Failure:
                # With a full disk or a busy file, the next request only takes longer.
                return


def _checksum(kind: str, key: bytes, pack: bytes) -> bytes:
    return xxhash.xxh3_64_digest(b"\0".join((kind.encode(), key, pack)))


def _strip_checksum(kind: str, key: bytes, signed: bytes) -> bytes:
    """Return a value without its checksum; ValueError if the checksum does not match."""
    pack = signed[_CHECKSUM_BYTES:]
    if signed[:_CHECKSUM_BYTES] != _checksum(kind, key, pack):
        raise ValueError("the value does not match its checksum")
    return pack
