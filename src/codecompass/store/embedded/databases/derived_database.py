"""DerivedFile: a database of what can be found again. It may be deleted at any time, by us too.

Rows are written once and never changed, so that any number of processes may write at once. A damaged file, one of
another schema, or one that has grown too large is dropped and begun anew.
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import apsw
import msgspec

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import let_go, open_database, rows, transaction, translated

_DAMAGED = "INDEX_INCOMPATIBLE"
_Result = TypeVar("_Result")


class DerivedFile:
    """Opened at the first question; thread-safe."""

    def __init__(self, path: Path, schema: str, version: int, most: int) -> None:
        self._path = path
        self._schema = schema
        self._version = version
        self._most = most
        self._lock = Lock()
        self._connection: apsw.Connection | None = None
        self._inode = 0

    def close(self) -> None:
        with self._lock:
            self._close()

    def _rows(self, query: str, bindings: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._do(lambda connection: rows(connection, query, bindings))
        except Failure:
            # A disk that is full or may not be written to: what cannot be remembered is found anew each time.
            return []

    def _decoded(self, pack: bytes, decode: Callable[[bytes], _Result]) -> _Result | None:
        """What a value stands for; None, and a new file, when it cannot be what was written."""
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

        self._do(run)

    def _do(self, work: Callable[[apsw.Connection], _Result]) -> _Result:
        """Do something with the database; once more on an empty one if this one turns out to be damaged."""
        with self._lock:
            try:
                with translated(self._path.name):
                    return work(self._opened())
            except Failure as failure:
                if failure.code != _DAMAGED:
                    raise
            self._drop()
            with translated(self._path.name):
                return work(self._opened())

    def _opened(self) -> apsw.Connection:
        """The connection, to the file that is there now: another process may have dropped the one we knew."""
        try:
            current = self._path.stat().st_ino
        except FileNotFoundError:
            current = -1
        if self._connection is not None and current == self._inode:
            return self._connection
        self._close()
        for name in () if current != -1 else self._side_files():
            # Of a file that was deleted by hand; SQLite would take them for a journal of the new one.
            name.unlink(missing_ok=True)
        connection = open_database(self._path, write=True, cache_kib=2_048)
        # What a power cut may cost is found again, so that nothing waits for the disk.
        connection.pragma("synchronous", "normal")
        self._connection = connection
        self._inode = self._path.stat().st_ino
        self._prepare(connection)
        return connection

    def _prepare(self, connection: apsw.Connection) -> None:
        if int(connection.pragma("user_version")) == self._version and self._path.stat().st_size <= self._most:
            return
        with transaction(connection, self._path.name, write=True):
            # Another process may have made it between the look and the lock.
            version = int(connection.pragma("user_version"))
            if version == 0:
                connection.execute(self._schema)
                connection.pragma("user_version", self._version)
                return
        if version != self._version or self._path.stat().st_size > self._most:
            raise Failure(_DAMAGED, f"{self._path.name} has schema {version} or is too large; it is begun anew.")

    def _drop(self) -> None:
        self._close()
        for name in (self._path, *self._side_files()):
            name.unlink(missing_ok=True)

    def _side_files(self) -> Iterator[Path]:
        yield from (self._path.with_name(f"{self._path.name}{suffix}") for suffix in ("-wal", "-shm"))

    def _close(self) -> None:
        if self._connection is not None:
            let_go(self._connection)
            self._connection = None
