"""Vector file (vectors.db): reads the vectors of chunks and files of a project. Derived; may be deleted at any time.

Rows refer to blobs, whose ids belong to one index (`store_id`) and are never reused. Rows are added and never changed,
by one process at a time, in transactions; any number of processes read. Deleting rows changes the edition. A file that
is damaged, or of another model, index or schema, is recreated by the next writer; until then there are no vectors. The
index itself never depends on this file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from codecompass.errors import ErrorCode, Failure
from codecompass.store.embedded.databases.database_schema import VECTORS_VERSION
from codecompass.store.embedded.databases.readonly_open import is_shared, open_reader
from codecompass.store.embedded.databases.sqlite_connection import close_quietly, map_sqlite_errors, query_rows
from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked
from codecompass.store.embedded.vectors.vector_table import VectorTable, ViewVectors, make_empty_table
from codecompass.store.ports import Owner, Snapshot, ViewEntry, ViewRow
from codecompass.store.vector_port import VectorAgreement, VectorWriter

FLOAT_DTYPE = "<f4"
DAMAGED_CODE: ErrorCode = "INDEX_INCOMPATIBLE"
_CHUNKS = "SELECT number, blob, scales, rows, norm FROM chunks WHERE number > ? ORDER BY number"
_PLACES = "SELECT number, path, blob, scales, rows FROM places WHERE number > ? ORDER BY number"
_SIZES = (
    "SELECT ifnull(sum(length(scales)), 0) / 4 FROM chunks WHERE number > ?",
    "SELECT count(*) FROM places WHERE number > ?",
)
_N = TypeVar("_N", np.int8, np.float32)

Origin = tuple[str, str, str]
"""Model, index and edition, which stay the same while rows are only added."""


def read_origin(connection: apsw.Connection) -> tuple[Origin, int]:
    """Return the origin of the rows, and a counter that every addition increments."""
    meta = dict(query_rows(connection, "SELECT key, value FROM meta"))
    return (str(meta["model"]), str(meta["store_id"]), str(meta["edition"])), int(meta["stamp"])


def delete_database(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class VectorFile:
    """Reads vectors.db and caches the vectors; thread-safe. Additions are loaded incrementally."""

    def __init__(self, path: Path, lock_path: Path) -> None:
        self.path = path
        self.lock_path = lock_path
        self._lock = Lock()
        self._connection: apsw.Connection | None = None
        self._inode = 0
        self._origin: tuple[Origin, int] | None = None
        self._table: VectorTable | None = None
        self._last_rows = (0, 0)
        self._views: dict[tuple[int, int], ViewVectors] = {}

    def view_vectors(
        self, store_id: str, model: str, view: ViewRow, entries: Mapping[str, ViewEntry]
    ) -> ViewVectors | None:
        """Return the vectors of a view; None if the model has none for this index, or they cannot be read."""
        with self._lock:
            try:
                with map_sqlite_errors(self.path.name):
                    stock = self._load_current(store_id, model)
            except (Failure, KeyError, ValueError) as error:
                # Search works without vectors. Delete a damaged file, so that the next writer recreates it.
                self._close()
                if not isinstance(error, Failure) or error.code == DAMAGED_CODE:
                    self._delete_damaged()
                return None
            if stock is None:
                return None
            key = (view.id, view.generation)
            known = self._views.get(key)
            if known is None:
                self._views = {old: kept for old, kept in self._views.items() if old[0] != view.id}
                files = {path: entry.blob for path, entry in entries.items() if entry.blob}
                known = self._views[key] = ViewVectors(stock, model, files)
            return known

    def stored_blobs(self, store_id: str) -> set[int] | None:
        """Return every blob of this index with vectors; None if there are none, or they cannot be read."""
        with self._lock:
            try:
                with map_sqlite_errors(self.path.name):
                    connection = self._open()
                    if connection is None or read_origin(connection)[0][1] != store_id:
                        return None
                    return {int(row[0]) for row in query_rows(connection, "SELECT blob FROM chunks")}
            except (Failure, KeyError, ValueError):
                self._close()
                return None

    def _load_current(self, store_id: str, model: str) -> VectorTable | None:
        """Return the current vectors of this model and index."""
        connection = self._open()
        if connection is None:
            return None
        connection.execute("BEGIN")
        try:
            origin = read_origin(connection)
            if origin[0][:2] != (model, store_id):
                return None
            if origin != self._origin or self._table is None:
                if self._origin is None or origin[0] != self._origin[0]:
                    self._table, self._last_rows = None, (0, 0)
                self._table = self._load(connection)
                self._views.clear()
                self._origin = origin
            return self._table
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _open(self) -> apsw.Connection | None:
        try:
            inode = self.path.stat().st_ino
        except FileNotFoundError:
            self._close()
            return None
        if self._connection is None or inode != self._inode or not is_shared(self._connection):
            self._close()
            connection = open_reader(self.path)
            if int(connection.pragma("user_version")) != VECTORS_VERSION:
                connection.close()  # being created, or of another version
                return None
            self._connection, self._inode = connection, inode
        return self._connection

    def _load(self, connection: apsw.Connection) -> VectorTable:
        """Load the rows added since the last call and append them to the table in memory."""
        dimensions = int(query_rows(connection, "SELECT value FROM meta WHERE key = 'dimensions'")[0][0])
        sizes = [
            int(query_rows(connection, query, (seen,))[0][0])
            for query, seen in zip(_SIZES, self._last_rows, strict=True)
        ]
        chunks = NumberedRows(connection.execute(_CHUNKS, self._last_rows[:1]))
        places = NumberedRows(connection.execute(_PLACES, self._last_rows[1:]))
        stock = extend_table(self._table or make_empty_table(dimensions), chunks, sizes[0], places, sizes[1])
        self._last_rows = (chunks.last or self._last_rows[0], places.last or self._last_rows[1])
        connection.execute("PRAGMA shrink_memory")
        return stock

    def _delete_damaged(self) -> None:
        """Delete a damaged file, unless it is locked by a writer, which will detect the damage itself."""
        try:
            lock = WriterLock(self.lock_path, Owner(0, "", ""))
        except Failure:
            return
        delete_database(self.path)
        lock.close()

    def find_damage(self) -> list[str]:
        """Read every page; return one line per damage."""
        with self._lock:
            self._close()
            try:
                with map_sqlite_errors(self.path.name):
                    connection = self._open()
                    if connection is not None:
                        read_origin(connection)
                        self._load(connection)
            except (Failure, KeyError, ValueError) as error:
                return [error.message if isinstance(error, Failure) else f"{self.path.name} is damaged."]
            finally:
                self._close()
        return []

    def _close(self) -> None:
        if self._connection is not None:
            close_quietly(self._connection)
        self._connection, self._origin, self._table, self._last_rows = None, None, None, (0, 0)
        self._views.clear()

    def close(self) -> None:
        with self._lock:
            self._close()


class NumberedRows:
    """Iterates over rows one at a time to save memory, and remembers the number of the last row."""

    def __init__(self, found: Iterable[tuple[Any, ...]]) -> None:
        self._found = found
        self.last = 0
        """The number of the last row."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for row in self._found:
            self.last = int(row[0])
            yield row[1:]


def extend_table(
    old: VectorTable, chunks: Iterable[tuple[Any, ...]], vectors: int, places: Iterable[tuple[Any, ...]], files: int
) -> VectorTable:
    """Append rows with the given numbers of vectors and files to a table; ValueError if the numbers do not match."""
    width, held = old.rows.shape[1], len(old.where)
    found, scales = _extend_array(old.rows, vectors), _extend_array(old.scales, vectors)
    at = len(old.rows)
    blobs, counts, norms = [], [], []
    for blob, some, packed, norm in chunks:
        count = len(some) // 4
        found[at : at + count] = np.frombuffer(packed, np.int8).reshape(count, width)
        scales[at : at + count] = np.frombuffer(some, FLOAT_DTYPE)
        at += count
        blobs.append(blob)
        counts.append(count)
        norms.append(norm)
    sides, side_scales = _extend_array(old.file_rows, 2 * files), _extend_array(old.file_scales, 2 * files)
    where, side = dict(old.where), 2 * held
    for path, blob, some, packed in places:
        sides[side : side + 2] = np.frombuffer(packed, np.int8).reshape(2, width)
        side_scales[side : side + 2] = np.frombuffer(some, FLOAT_DTYPE)
        where[_decode_path(path), int(blob)] = side // 2
        side += 2
    if at != len(found) or side != len(sides):
        raise ValueError("vectors and files differ in number")
    return VectorTable(
        rows=found,
        scales=scales,
        blobs=np.concatenate((old.blobs, np.array(blobs, np.int64))),
        starts=np.concatenate((old.starts, old.starts[-1] + np.cumsum(counts, dtype=np.int64))),
        norms=np.concatenate((old.norms, np.array(norms, np.float32))),
        file_rows=sides,
        file_scales=side_scales,
        where=where,
    )


def _extend_array(old: NDArray[_N], more: int) -> NDArray[_N]:
    """Copy an array into a longer one with space for more rows."""
    longer = np.empty((len(old) + more, *old.shape[1:]), old.dtype)
    longer[: len(old)] = old
    return longer


def _decode_path(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


class LazyVectors:
    """The vectors of a project; opens the vector file at the first use, if it exists."""

    def __init__(
        self,
        path: Path,
        store_id: Callable[[], str],
        make_writer: Callable[[Path, WriterLock, str, str, int], VectorWriter],
    ) -> None:
        self._path = path
        self._store_id = store_id
        self._make_writer = make_writer
        self._lock_path = path.with_name("vectors.lock")
        self._lock = Lock()
        self._file: VectorFile | None = None

    def view_vectors(
        self, store_id: str, model: str, view: ViewRow, entries: dict[str, ViewEntry]
    ) -> ViewVectors | None:
        """Return the vectors of a view, if there are any."""
        file = self._open()
        return file.view_vectors(store_id, model, view, entries) if file is not None else None

    def _open(self) -> VectorFile | None:
        with self._lock:
            if self._file is None and self._path.exists():
                self._file = VectorFile(self._path, self._lock_path)
            return self._file

    def open_writer(self, owner: Owner, model: str, dimensions: int) -> VectorWriter:
        """Take the lock of the vectors, which is separate from the index's, and open for adding."""
        lock = WriterLock(self._lock_path, owner)
        try:
            return self._make_writer(self._path, lock, self._store_id(), model, dimensions)
        except BaseException:
            lock.close()
            raise

    def is_building(self) -> bool:
        """Whether a process is adding vectors now."""
        return is_locked(self._lock_path)

    def check_agreement(self, snapshot: Snapshot) -> VectorAgreement | None:
        """Compare the stored vectors with the views."""
        file = self._open()
        stored = file.stored_blobs(snapshot.store_id) if file is not None else None
        if stored is None:
            return None
        views = [snapshot.entries(view) for view in snapshot.views()]
        held = {entry.blob for entries in views for entry in entries.values() if entry.blob}
        return VectorAgreement(len(stored), len(stored - held), len(held - stored))

    def find_damage(self) -> list[str]:
        """Read all vectors; return one line per damage."""
        file = self._open()
        return file.find_damage() if file is not None else []

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
