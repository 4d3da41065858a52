"""Derived database: base class of caches in SQLite that may be deleted at any time.

Rows are written once and never changed, so that any number of processes may write concurrently. A file that is damaged,
too large, or of another schema is deleted and recreated.
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import apsw
import msgspec

from codecompass.errors import ErrorCode, Failure
from codecompass.store.embedded.databases.sqlite_connection import (
    close_quietly,
    map_sqlite_errors,
    open_database,
    query_rows,
    transaction,
)

_DAMAGED: ErrorCode = "INDEX_INCOMPATIBLE"
_Result = TypeVar("_Result")


class DerivedDatabase:
    """A cache in a SQLite file, opened at first use; thread-safe."""

    def __init__(self, path: Path, schema: str, version: int, most: int) -> None:
        self._path = path
        self._schema = schema
        self._version = version
        self._max_bytes = most
        self._lock = Lock()
        self._connection: apsw.Connection | None = None
        self._inode = 0

    def close(self) -> None:
        with self._lock:
            self._close()

    def _query(self, query: str, bindings: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._run(lambda connection: query_rows(connection, query, bindings))
        except Failure:
            # The disk is full or read-only: without a cache, values are computed each time.
            return []

    def _decode(self, pack: bytes, decode: Callable[[bytes], _Result]) -> _Result | None:
        """Decode a value; on damage, delete the file and return None."""
        try:
            return decode(pack)
        except (ValueError, zlib.error, msgspec.MsgspecError):
            with self._lock:
                self._drop()
            return None

    def _write(self, work: Callable[[apsw.Connection], None]) -> None:
        def run(connection: apsw.Connection) -> None:
            with transaction(connection, self._path.name, write=True):
                work(connection)

        self._run(run)

    def _run(self, work: Callable[[apsw.Connection], _Result]) -> _Result:
        """Run `work` on the database; retry once on an empty one if it is damaged."""
        with self._lock:
            try:
                with map_sqlite_errors(self._path.name):
                    return work(self._open())
            except Failure as failure:
                if failure.code != _DAMAGED:
                    raise
            self._drop()
            with map_sqlite_errors(self._path.name):
                return work(self._open())

    def _open(self) -> apsw.Connection:
        """Return a connection to the current file; another process may have deleted the previous one."""
        try:
            current = self._path.stat().st_ino
        except FileNotFoundError:
            current = -1
        if self._connection is not None and current == self._inode:
            return self._connection
        self._close()
        for name in () if current != -1 else self._side_files():
            # Left by a file that was deleted by hand; SQLite would apply them to the new one.
            name.unlink(missing_ok=True)
        connection = open_database(self._path, write=True, cache_kib=2_048)
        # Data lost in a power cut can be computed again, so do not wait for the disk.
        connection.pragma("synchronous", "normal")
        self._connection = connection
        self._inode = self._path.stat().st_ino
        self._prepare(connection)
        return connection

    def _prepare(self, connection: apsw.Connection) -> None:
        if int(connection.pragma("user_version")) == self._version and self._path.stat().st_size <= self._max_bytes:
            return
        with transaction(connection, self._path.name, write=True):
            # Another process may have created it between the check and the lock.
            version = int(connection.pragma("user_version"))
            if version == 0:
                connection.execute(self._schema)
                connection.pragma("user_version", self._version)
                return
        if version != self._version or self._path.stat().st_size > self._max_bytes:
            raise Failure(_DAMAGED, f"{self._path.name} has schema {version} or is too large; it is recreated.")

    def _drop(self) -> None:
        self._close()
        for name in (self._path, *self._side_files()):
            name.unlink(missing_ok=True)

    def _side_files(self) -> Iterator[Path]:
        yield from (self._path.with_name(f"{self._path.name}{suffix}") for suffix in ("-wal", "-shm"))

    def _close(self) -> None:
        if self._connection is not None:
            close_quietly(self._connection)
            self._connection = None
