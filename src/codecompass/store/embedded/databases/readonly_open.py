"""Opening for reading, also where nothing can be written: on a full disk, or one that is mounted for reading only.

Readers and writers of a database share a small file beside it, which the first of them makes. Where there is no room
for that file nobody else can have the database open, so it is read without: as it lies there, or, when a process that
died left a log behind, together with that log and alone.
"""

import os
from pathlib import Path
from typing import Self
from urllib.parse import quote

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.page_checksums import LAYER_NAME
from codecompass.store.embedded.databases.sqlite_connection import BUSY_MS, let_go, open_database, translated

_NO_WAY_TO_SHARE = ("DISK_FULL", "DISK_FAILED", "NO_INDEX", "INTERNAL")
"""What `translated` makes of a shared file that cannot be made: no room, no right to, another trouble of the disk."""
_Sign = tuple[int, int, int] | None


class LoneConnection(apsw.Connection):
    """Reads a database without locks. It must not be kept: nothing keeps others from changing the file."""

    path: Path
    _signs: tuple[_Sign, _Sign]

    @classmethod
    def at(cls, path: Path) -> Self:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        signs = _signs(path)
        connection = cls(f"file:{quote(os.path.abspath(path))}?immutable=1", flags=flags, vfs=LAYER_NAME)
        connection.path, connection._signs = path, signs
        return connection

    def has_changed(self) -> bool:
        """Whether somebody wrote to the database since it was opened, so that what was read may be half old."""
        return _signs(self.path) != self._signs


class LockingConnection(apsw.Connection):
    """Reads a database and its log, and keeps everybody else out meanwhile. It must not be kept either."""


def open_reader(path: Path, cache_kib: int = 4_096) -> apsw.Connection:
    """A connection that has been read from; a `LoneConnection`, or one that holds all locks, where it must be."""
    connection = None
    try:
        connection = open_database(path, write=False, cache_kib=cache_kib)
        with translated(path.name):
            _touch(connection)
        return connection
    except Failure as failure:
        if connection is not None:
            let_go(connection)
        if failure.code not in _NO_WAY_TO_SHARE or not path.exists():
            raise
        try:
            return _open_alone(path, cache_kib)
        except (apsw.Error, OSError):
            raise failure from None


def _open_alone(path: Path, cache_kib: int) -> apsw.Connection:
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        # Commits may stand in the log only. Whoever holds all locks keeps what is shared in memory of its own.
        connection: apsw.Connection = LockingConnection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=LAYER_NAME)
        connection.pragma("locking_mode", "exclusive")
    else:
        connection = LoneConnection.at(path)
    connection.set_busy_timeout(BUSY_MS)
    connection.pragma("cache_size", -cache_kib)
    connection.pragma("temp_store", "memory")
    _touch(connection)
    return connection


def is_shared(connection: apsw.Connection) -> bool:
    """Whether a connection may be kept for the next question: others can write while it is open."""
    return not isinstance(connection, LoneConnection | LockingConnection)


def check_unchanged(connection: apsw.Connection) -> None:
    """After the last read: an answer made of two states of a database is no answer."""
    if isinstance(connection, LoneConnection) and connection.has_changed():
        raise Failure("INDEX_IN_PROGRESS", "The index was changed while it was read.", hint="Ask again.")


def _touch(connection: apsw.Connection) -> None:
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()


def _signs(path: Path) -> tuple[_Sign, _Sign]:
    return _sign(path), _sign(path.with_name(path.name + "-wal"))


def _sign(path: Path) -> _Sign:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else None
