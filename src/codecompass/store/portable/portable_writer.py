"""Portable writer: writes a portable file under a temporary name, and renames it when it is complete."""

import ctypes
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import msgspec

from codecompass.atomic import move_into_place, reserve_temporary
from codecompass.errors import Failure
from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.sqlite_connection import (
    PAGE_SIZE,
    RESERVED_BYTES,
    UNJOURNALED_VFS_NAME,
    map_sqlite_errors,
)
from codecompass.store.embedded.files.writer_lock import WriterLock
from codecompass.store.portable.portable_connection import open_readonly
from codecompass.store.portable.portable_schema import APPLICATION_ID, ORDINAL_BITS, SCHEMA_VERSION, TABLES
from codecompass.store.portable_port import PortableBlob
from codecompass.store.ports import Document

if TYPE_CHECKING:
    from codecompass.store.portable.portable_vectors import VectorTableWriter

BATCH = 500
"""Blobs per transaction: enough to make commits cheap, few enough to bound memory."""
_TEMPORARY_MARK = ".building-"


class PortableWriter:
    """Writes one portable file under the project's lock; an unfinished file leaves nothing behind."""

    def __init__(self, target: Path, lock: WriterLock) -> None:
        self._lock = lock
        self._target = target
        self._added = 0
        self._connection: apsw.Connection | None = None
        self._vectors: VectorTableWriter | None = None
        try:
            with _map_os_errors(target.name):
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._temporary = reserve_temporary(target, _TEMPORARY_MARK)
        except BaseException:
            lock.close()
            raise
        try:
            self._connection = _create(self._temporary)
        except BaseException:
            self.close()
            raise

    def add(self, blob: PortableBlob, documents: Iterable[Document]) -> None:
        """Add one blob with its paths, its definitions and the words of its chunks."""
        connection = self._open()
        with map_sqlite_errors(self._target.name):
            row = (blob.id, blob.hash, blob.language, blob.shown_language, blob.lines, " ".join(blob.notes))
            connection.execute("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, int(blob.has_text)))
            connection.executemany(
                "INSERT INTO files VALUES (?, ?, ?, ?)", [(path, blob.id, mode, blob.size) for path, mode in blob.paths]
            )
            connection.executemany(
                "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(blob.id, number, *item[:-1], _encode_facts(item.facts)) for number, item in enumerate(blob.symbols)],
            )
            first = blob.id << ORDINAL_BITS
            connection.executemany(
                "INSERT INTO passages VALUES (?, ?, ?, ?)",
                [(first + ordinal, *item) for ordinal, item in enumerate(blob.passages)],
            )
            connection.executemany(
                "INSERT INTO chunks_fts (rowid, names, body, extras, prose) VALUES (?, ?, ?, ?, ?)",
                # Split the text at `_`, because whole identifiers are among the extras.
                [
                    (first + item.ordinal, item.names, item.body.replace("_", " "), item.extras, item.prose)
                    for item in documents
                ],
            )
            if blob.vectors is not None:
                self._vector_writer(connection).add(blob, blob.vectors)
            self._added += 1
            if self._added % BATCH == 0:
                connection.execute("COMMIT")
                connection.execute("BEGIN")

    def _vector_writer(self, connection: apsw.Connection) -> "VectorTableWriter":
        if self._vectors is None:
            from codecompass.store.portable.portable_vectors import VectorTableWriter  # noqa: PLC0415 - loads numpy

            self._vectors = VectorTableWriter(connection)
        return self._vectors

    def finish(self, meta: Mapping[str, object]) -> int:
        """Complete the file, verify it, and rename it to its target; return its size."""
        connection = self._open()
        with map_sqlite_errors(self._target.name):
            complete = {**meta, "index_version": INDEX_VERSION}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", list(complete.items()))
            connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')")
            connection.execute("COMMIT")
            connection.execute("ANALYZE")
            connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')")
            connection.close()
            self._connection = None
        _check(self._temporary, self._target.name)
        with _map_os_errors(self._target.name):
            move_into_place(self._temporary, self._target)
            size = self._target.stat().st_size
        self.close()
        return size

    def close(self) -> None:
        """Close, and delete the file if it is unfinished."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._temporary.unlink(missing_ok=True)
        self._lock.close()

    def _open(self) -> apsw.Connection:
        assert self._connection is not None, "a finished file is not written to"
        return self._connection


def _encode_facts(facts: Mapping[str, object]) -> str:
    return msgspec.json.encode(facts).decode()


def _create(path: Path) -> apsw.Connection:
    """Create an empty file with our schema. It needs no journal, because nobody reads it before it is complete."""
    with map_sqlite_errors(path.name):
        connection = apsw.Connection(
            str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, vfs=UNJOURNALED_VFS_NAME
        )
        room = ctypes.c_int(RESERVED_BYTES)
        connection.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(room))
        connection.pragma("page_size", PAGE_SIZE)
        connection.pragma("journal_mode", "off")
        connection.pragma("synchronous", "off")
        connection.pragma("temp_store", "memory")
        connection.execute(TABLES)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", SCHEMA_VERSION)
        connection.execute("BEGIN")
    return connection


def _check(path: Path, name: str) -> None:
    """Read the whole file back with checksums, and run SQLite's integrity check."""
    connection = open_readonly(path)
    try:
        with map_sqlite_errors(name):
            result = connection.pragma("integrity_check")
    finally:
        connection.close()
    if result != "ok":
        raise Failure("INTERNAL", f"{name} was not written correctly: {str(result)[:200]}")


class _map_os_errors:
    """Context manager that turns file system errors around a target into failures."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            if error.errno == 28:
                raise Failure("DISK_FULL", f"No room to write {self._name}.") from error
            raise Failure("INVALID_REQUEST", f"{self._name} cannot be written: {error.strerror}.") from error
