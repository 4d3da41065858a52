"""Read-only open: opens a database for reading even on a full disk or a read-only mount.

Readers and writers of a database share a small file next to it (`-shm`), which the first of them creates. If there is
no space for that file, nobody else can have the database open, so it is read without: as an immutable file or, if a
dead process left a log, together with that log under an exclusive lock.
"""

import os
from pathlib import Path
from typing import Self
from urllib.parse import quote

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import (
    BUSY_MS,
    VFS_NAME,
    close_quietly,
    map_sqlite_errors,
    open_database,
)

_SHARED_MEMORY_FAILURES = ("DISK_FULL", "DISK_FAILED", "NO_INDEX", "INTERNAL")
"""Failure codes if the shared file cannot be created: no space, no permission, or another disk error."""
_FileStamp = tuple[int, int, int] | None


class ImmutableConnection(apsw.Connection):
    """Reads a database without locks. It must not be reused: other processes may change the file."""

    path: Path
    _stamps: tuple[_FileStamp, _FileStamp]

    @classmethod
    def open_at(cls, path: Path) -> Self:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        signs = _read_stamps(path)
        connection = cls(f"file:{quote(os.path.abspath(path))}?immutable=1", flags=flags, vfs=VFS_NAME)
        connection.path, connection._stamps = path, signs
        return connection

    def has_changed(self) -> bool:
        """Whether the database was written since it was opened, so that reads may be inconsistent."""
        return _read_stamps(self.path) != self._stamps


class ExclusiveConnection(apsw.Connection):
    """Reads a database and its log under an exclusive lock. It must not be reused either."""


def open_reader(path: Path, cache_kib: int = 4_096) -> apsw.Connection:
    """Open and test a connection; fall back to an immutable or an exclusive one if sharing is impossible."""
    connection = None
    try:
        connection = open_database(path, write=False, cache_kib=cache_kib)
        with map_sqlite_errors(path.name):
            _read_schema(connection)
        return connection
    except Failure as failure:
        if connection is not None:
            close_quietly(connection)
        if failure.code not in _SHARED_MEMORY_FAILURES or not path.exists():
            raise
        try:
            return _open_unshared(path, cache_kib)
        except (apsw.Error, OSError):
            raise failure from None


def _open_unshared(path: Path, cache_kib: int) -> apsw.Connection:
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        # Commits may be only in the log. With an exclusive lock SQLite needs no shared file to read it.
        connection: apsw.Connection = ExclusiveConnection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=VFS_NAME)
        connection.pragma("locking_mode", "exclusive")
    else:
        connection = ImmutableConnection.open_at(path)
    connection.set_busy_timeout(BUSY_MS)
    connection.pragma("cache_size", -cache_kib)
    connection.pragma("temp_store", "memory")
    _read_schema(connection)
    return connection


def is_shared(connection: apsw.Connection) -> bool:
    """Whether a connection may be reused: others can write while it is open."""
    return not isinstance(connection, ImmutableConnection | ExclusiveConnection)


def check_unchanged(connection: apsw.Connection) -> None:
    """Raise if the database changed during an unlocked read, since the result mixes two states. Call it last."""
    if isinstance(connection, ImmutableConnection) and connection.has_changed():
        raise Failure("INDEX_IN_PROGRESS", "The index was changed while it was read.", hint="Try again.")


def _read_schema(connection: apsw.Connection) -> None:
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()


def _read_stamps(path: Path) -> tuple[_FileStamp, _FileStamp]:
    return _read_stamp(path), _read_stamp(path.with_name(path.name + "-wal"))


def _read_stamp(path: Path) -> _FileStamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else None
