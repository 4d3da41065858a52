"""SQLite connections: open database files with checked pages, run transactions, and map SQLite's errors to failures.

SQLite itself detects few flipped bits and returns the rest as data. Here the last eight bytes of every page of a
main database file (a region SQLite leaves to extensions) contain the XXH3 of the page, seeded with the page's number,
so a flipped bit or a misplaced page is an error at the first read. Any plain SQLite can still read the file.
Pages that are still in the write-ahead log are verified as well: see `wal_checksums.py`.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import xxhash

from codecompass.errors import Failure
from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.wal_checksums import WalFile

PAGE_SIZE = 16_384
RESERVED_BYTES = 8
_NAME = "codecompass-pages"
_MIN_PAGE_SIZE = 512
"""SQLite's smallest page size; reads of anything but pages are smaller."""


class _PageFile(apsw.VFSFile):
    """A main database file. Only the first read of its header is unchecked; it is read again as a page."""

    def xRead(self, amount: int, offset: int) -> bytes:
        data = super().xRead(amount, offset)
        if not data or (offset < PAGE_SIZE and amount < _MIN_PAGE_SIZE):
            return data
        if offset % PAGE_SIZE or amount > PAGE_SIZE:
            # Only a damaged header makes SQLite assume another page size, and then nothing would be checked.
            raise apsw.CorruptError("its header names another page size")
        # SQLite may read only part of an overflow page.
        page = data if amount == PAGE_SIZE else super().xRead(PAGE_SIZE, offset)
        if (
            len(page) < PAGE_SIZE
            or xxhash.xxh3_64_digest(page[:-RESERVED_BYTES], seed=offset // PAGE_SIZE) != page[-RESERVED_BYTES:]
        ):
            raise apsw.CorruptError(f"page {offset // PAGE_SIZE + 1} does not match its checksum")
        return data

    def xWrite(self, data: bytes, offset: int) -> None:
        if len(data) == PAGE_SIZE and offset % PAGE_SIZE == 0:
            body = bytes(data[:-RESERVED_BYTES])
            data = body + xxhash.xxh3_64_digest(body, seed=offset // PAGE_SIZE)
        super().xWrite(data, offset)


class _UnjournaledPageFile(_PageFile):
    """A file that is being created without a journal. SQLite never writes a page that was allocated and freed at once,
    and reads it as zeros when it allocates it again.
    """

    def xRead(self, amount: int, offset: int) -> bytes:
        data = apsw.VFSFile.xRead(self, amount, offset)
        return data if not any(data) else super().xRead(amount, offset)


class _PageVfs(apsw.VFS):
    """The VFS: checksummed files for databases and logs, the system's own for other journals."""

    def __init__(self, name: str, kind: type[_PageFile]) -> None:
        super().__init__(name, "")
        self._kind = kind

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return self._kind("", name, flags)
        if flags[0] & apsw.SQLITE_OPEN_WAL:
            return WalFile(name, flags, PAGE_SIZE)
        return apsw.VFSFile("", name, flags)


# SQLite registers a VFS for the life of the process; these references keep our two alive.
_VFS_INSTANCES = (_PageVfs(_NAME, _PageFile), _PageVfs(f"{_NAME}-young", _UnjournaledPageFile))
VFS_NAME = _NAME
UNJOURNALED_VFS_NAME = f"{_NAME}-young"
"""For files that are not read before they are complete, and are then verified through the other VFS."""


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
        raise make_readonly_failure(name) from error


def make_readonly_failure(name: str) -> Failure:
    """Make the failure of a write to a file in a read-only directory."""
    hint = "Make the data directory writable, or choose another one with --data-dir."
    return Failure("DISK_FAILED", f"{name} cannot be written: its directory is read-only.", hint=hint)


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
