"""Vector writer: adds rows to vectors.db, one process at a time, concurrently with readers and the index writer."""

import secrets
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.catalog.entry_rows import encode_path
from codecompass.store.embedded.databases.database_schema import VECTORS, VECTORS_VERSION
from codecompass.store.embedded.databases.sqlite_connection import (
    close_quietly,
    map_sqlite_errors,
    open_database,
    query_rows,
    transaction,
)
from codecompass.store.embedded.files.writer_lock import WriterLock
from codecompass.store.embedded.vectors.vector_file import DAMAGED_CODE, FLOAT_DTYPE, delete_database, read_origin
from codecompass.store.embedded.vectors.vector_table import compute_norm
from codecompass.store.ports import Snapshot, ViewRow
from codecompass.store.vector_port import VectorBatch

GARBAGE_FLOOR = 50
"""Unreferenced rows tolerated before a sweep, because a sweep makes readers reload everything."""
_EVERY_PLACE = "SELECT path, blob FROM places"
_PUT_CHUNKS = "INSERT OR IGNORE INTO chunks (blob, scales, rows, norm) VALUES (?, ?, ?, ?)"
_PUT_PLACE = "INSERT OR IGNORE INTO places (path, blob, scales, rows) VALUES (?, ?, ?, ?)"


class EmbeddedVectorWriter:
    """The single writer of vectors; holds their lock from construction to `close`."""

    def __init__(self, path: Path, lock: WriterLock, store_id: str, model: str, dimensions: int) -> None:
        self._path = path
        self._lock = lock
        self._name = path.name
        self._chunks: list[tuple[int, bytes, bytes, float]] = []
        self._places: list[tuple[bytes, int, bytes, bytes]] = []
        try:
            self._connection = self._open(store_id, model, dimensions)
        except Failure as failure:
            if failure.code != DAMAGED_CODE:
                raise
            delete_database(path)
            self._connection = self._open(store_id, model, dimensions)

    def _open(self, store_id: str, model: str, dimensions: int) -> apsw.Connection:
        """Open the file, creating it if it is new; a Failure if it belongs to another index or model."""
        connection = open_database(self._path, write=True)
        try:
            with map_sqlite_errors(self._name):
                version = int(connection.pragma("user_version"))
                if version == VECTORS_VERSION and read_origin(connection)[0][:2] == (model, store_id):
                    return connection
            if version:
                raise Failure(DAMAGED_CODE, f"{self._name} belongs to another model, index or version.")
            with transaction(connection, self._name, write=True):
                connection.execute(VECTORS)
                meta = {"model": model, "store_id": store_id, "dimensions": dimensions, "stamp": 0}
                put = "INSERT INTO meta VALUES (?, ?)"
                connection.executemany(put, [*meta.items(), ("edition", secrets.token_hex(8))])
                connection.pragma("user_version", VECTORS_VERSION)
        except (Failure, KeyError) as error:
            close_quietly(connection)
            raise error if isinstance(error, Failure) else Failure(DAMAGED_CODE, f"{self._name} is damaged.") from error
        return connection

    def find_missing(self, snapshot: Snapshot, view: ViewRow) -> list[tuple[str, int, bool]]:
        with map_sqlite_errors(self._name):
            places = set(query_rows(self._connection, _EVERY_PLACE))
            blobs = {int(row[0]) for row in query_rows(self._connection, "SELECT blob FROM chunks")}
        return [
            (path, entry.blob, entry.blob in blobs)
            for path, entry in sorted(snapshot.entries(view).items())
            if entry.blob and (entry.blob not in blobs or (encode_path(path), entry.blob) not in places)
        ]

    def add(self, batch: VectorBatch) -> None:
        if batch.chunks is not None and batch.scales is not None:
            norm = compute_norm(batch.chunks, batch.scales)
            self._chunks.append((batch.blob, batch.scales.astype(FLOAT_DTYPE).tobytes(), batch.chunks.tobytes(), norm))
        scales = batch.file_scales.astype(FLOAT_DTYPE).tobytes()
        self._places.append((encode_path(batch.path), batch.blob, scales, batch.file_rows.tobytes()))

    def flush(self) -> None:
        if not self._chunks and not self._places:
            return
        with transaction(self._connection, self._name, write=True):
            self._connection.executemany(_PUT_CHUNKS, self._chunks)
            self._connection.executemany(_PUT_PLACE, self._places)
            self._connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'stamp'")
        self._chunks.clear()
        self._places.clear()
        self._lock.write_heartbeat()

    def sweep(self, snapshot: Snapshot) -> None:
        views = [snapshot.entries(view) for view in snapshot.views()]
        held = {(encode_path(path), entry.blob) for entries in views for path, entry in entries.items()}
        blobs = {blob for _, blob in held}
        with map_sqlite_errors(self._name):
            places = query_rows(self._connection, _EVERY_PLACE)
            stored = [int(row[0]) for row in query_rows(self._connection, "SELECT blob FROM chunks")]
        gone = [place for place in places if place not in held]
        if len(gone) < max(GARBAGE_FLOOR, len(places) // 10):
            return
        with transaction(self._connection, self._name, write=True):
            self._connection.executemany("DELETE FROM places WHERE path = ? AND blob = ?", gone)
            self._connection.executemany(
                "DELETE FROM chunks WHERE blob = ?", [(blob,) for blob in stored if blob not in blobs]
            )
            edition = secrets.token_hex(8)
            self._connection.execute("UPDATE meta SET value = ? WHERE key = 'edition'", (edition,))

    def close(self) -> None:
        """Close; vectors that were not flushed are computed again by the next run."""
        try:
            close_quietly(self._connection)
        finally:
            self._lock.close()
