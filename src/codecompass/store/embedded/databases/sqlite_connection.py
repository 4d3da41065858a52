"""SQLite connections: opening database files, transactions, and mapping of SQLite's errors to failures."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.page_checksums import PAGE_SIZE, RESERVED_BYTES, VFS_NAME

BUSY_MS = 5_000
WAL_PAGES = 128
"""Pages in the write-ahead log before SQLite copies them into the database: 2 MiB. SQLite's own limit of a thousand
pages is 16 MiB here, for each of five databases of every project, most of which hold a few hundred KiB."""
_SHARED_MEMORY_ERRORS = frozenset({apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_SHMOPEN, apsw.SQLITE_IOERR_SHMMAP})
"""Errors of the `-shm` file that processes share: it could not be created."""


def open_database(path: Path, *, write: bool, cache_kib: int = 4_096) -> apsw.Connection:
    """Open with checksummed pages, WAL, and a bounded page cache; only a writer may create the file."""
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if write else 0)
    with map_sqlite_errors(path.name):
        connection = apsw.Connection(str(path), flags=flags, vfs=VFS_NAME)
        try:
            _configure(connection, path, write=write, cache_kib=cache_kib)
        except BaseException:
            # Close at once, so that a fallback connection does not meet our locks.
            close_quietly(connection)
            raise
    return connection


def _configure(connection: apsw.Connection, path: Path, *, write: bool, cache_kib: int) -> None:
    connection.set_busy_timeout(BUSY_MS)
    if write and not path.stat().st_size:
        room = ctypes.c_int(RESERVED_BYTES)
        connection.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(room))
        connection.pragma("page_size", PAGE_SIZE)
        connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full" if write else "normal")
    connection.pragma("wal_autocheckpoint", WAL_PAGES)
    connection.pragma("journal_size_limit", WAL_PAGES * PAGE_SIZE)
    connection.pragma("cache_size", -cache_kib)
    connection.pragma("temp_store", "memory")


def close_quietly(connection: apsw.Connection) -> None:
    """Close a connection and ignore errors: on a full or read-only disk the cleanup fails, without loss of data."""
    with suppress(apsw.Error):
        connection.close()


def check_schema(version: int) -> None:
    """Reject an index of another schema version."""
    if version == 0:
        # A writer creates the file before it writes the schema; until then there is no index yet.
        raise Failure("NO_INDEX", "The index is being created.")
    if version != INDEX_VERSION:
        message = f"The index has schema {version}, this program needs {INDEX_VERSION}."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "reindex_required"})


def query_rows(connection: apsw.Connection, query: str, bindings: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    """Return all rows of a query; the column types follow from the schema."""
    return connection.execute(query, bindings).fetchall()


@contextmanager
def map_sqlite_errors(name: str) -> Iterator[None]:
    """Turn SQLite's exceptions into failures a user can act on; they name the file without its directory."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        details: dict[str, object] = {"schema_status": "corrupt_manifest"}
        details |= {"part": "vectors"} if name.startswith("vectors") else {}
        raise Failure("INDEX_INCOMPATIBLE", f"{name} is damaged: {error}", details) from error
    except apsw.FullError as error:
        raise Failure("DISK_FULL", f"No room to write {name}.") from error
    except apsw.BusyError as error:
        raise Failure("INDEX_IN_PROGRESS", f"{name} is held by another process.") from error
    except apsw.CantOpenError as error:
        raise Failure("NO_INDEX", f"{name} cannot be opened.") from error
    except apsw.SQLError as error:
        raise Failure(
            "INDEX_INCOMPATIBLE", f"{name} has another shape: {error}", {"schema_status": "reindex_required"}
        ) from error
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) in _SHARED_MEMORY_ERRORS:
            raise Failure("DISK_FULL", f"No room to open {name}.") from error
        raise Failure("DISK_FAILED", f"The disk failed while {name} was read or written: {error}.") from error
    except apsw.ReadOnlyError as error:
        raise Failure("INTERNAL", f"{name}: {error}") from error


@contextmanager
def transaction(connection: apsw.Connection, name: str, *, write: bool) -> Iterator[None]:
    """Run one transaction, rolled back on any exception."""
    with map_sqlite_errors(name):
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
