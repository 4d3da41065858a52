"""vectors.db: what a model made of the chunks and places of a project. Derived: it may be deleted at any time.

Rows hang on blobs, whose numbers belong to one index (`store_id`) and are never used twice. Rows are added and never
changed, by one process at a time, in transactions; any number of processes read. Where rows are deleted, the edition is
another. A file that is damaged, or of another model, index or schema, is begun anew by the next writer, and until then
there are no vectors. Nothing here is in the way of the index itself.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import apsw
import numpy as np

from codecompass.errors import Failure
from codecompass.store.embedded.connect import open_database, rows, translated
from codecompass.store.embedded.lock import WriterLock
from codecompass.store.embedded.schema import VECTORS_VERSION
from codecompass.store.embedded.vectors import Field, Stock, empty_stock
from codecompass.store.ports import Entry, Owner, ViewRow

FLOAT = "<f4"
DAMAGED = "INDEX_INCOMPATIBLE"
_CHUNKS = "SELECT number, blob, scales, rows, norm FROM chunks WHERE number > ? ORDER BY number"
_PLACES = "SELECT number, path, blob, scales, rows FROM places WHERE number > ? ORDER BY number"

Origin = tuple[str, str, str]
"""Model, index and edition: what stays while rows are only added."""


def origin_of(connection: apsw.Connection) -> tuple[Origin, int]:
    """Whose rows these are, and how many times some were added."""
    meta = dict(rows(connection, "SELECT key, value FROM meta"))
    return (str(meta["model"]), str(meta["store_id"]), str(meta["edition"])), int(meta["stamp"])


def drop(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class VectorShelf:
    """Reads; thread-safe. What was read is kept until something is added."""

    def __init__(self, path: Path, lock_path: Path) -> None:
        self.path = path
        self.lock_path = lock_path
        self._lock = Lock()
        self._connection: apsw.Connection | None = None
        self._inode = 0
        self._origin: tuple[Origin, int] | None = None
        self._stock: Stock | None = None
        self._seen = (0, 0)
        self._fields: dict[tuple[int, int], Field] = {}

    def field(self, store_id: str, model: str, view: ViewRow, entries: Mapping[str, Entry]) -> Field | None:
        """The vectors of a view; None where the model has made none of this index, or they cannot be read."""
        with self._lock:
            try:
                with translated(self.path.name):
                    stock = self._current(store_id, model)
            except (Failure, KeyError, ValueError) as error:
                # An extra: words find without it. What is damaged goes, so that whoever builds begins anew.
                self._let_go()
                if not isinstance(error, Failure) or error.code == DAMAGED:
                    self._drop()
                return None
            if stock is None:
                return None
            key = (view.id, view.generation)
            known = self._fields.get(key)
            if known is None:
                self._fields = {old: kept for old, kept in self._fields.items() if old[0] != view.id}
                files = {path: entry.blob for path, entry in entries.items() if entry.blob}
                known = self._fields[key] = Field(stock, model, files)
            return known

    def _current(self, store_id: str, model: str) -> Stock | None:
        """What is stored now of this model and index."""
        connection = self._open()
        if connection is None:
            return None
        connection.execute("BEGIN")
        try:
            origin = origin_of(connection)
            if origin[0][:2] != (model, store_id):
                return None
            if origin != self._origin or self._stock is None:
                if self._origin is None or origin[0] != self._origin[0]:
                    self._stock, self._seen = None, (0, 0)
                self._stock = self._load(connection)
                self._fields.clear()
                self._origin = origin
            return self._stock
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _open(self) -> apsw.Connection | None:
        try:
            inode = self.path.stat().st_ino
        except FileNotFoundError:
            self._let_go()
            return None
        if self._connection is None or inode != self._inode:
            self._let_go()
            connection = open_database(self.path, write=False)
            if int(connection.pragma("user_version")) != VECTORS_VERSION:
                connection.close()  # just being made, or another version's
                return None
            self._connection, self._inode = connection, inode
        return self._connection

    def _load(self, connection: apsw.Connection) -> Stock:
        """What was loaded before and what was added since."""
        dimensions = int(rows(connection, "SELECT value FROM meta WHERE key = 'dimensions'")[0][0])
        chunks, places = rows(connection, _CHUNKS, self._seen[:1]), rows(connection, _PLACES, self._seen[1:])
        ends = (*(part[-1][0] if part else seen for part, seen in zip((chunks, places), self._seen, strict=True)),)
        self._seen = (int(ends[0]), int(ends[1]))
        return grown(self._stock or empty_stock(dimensions), chunks, places)

    def _drop(self) -> None:
        """Delete a damaged file, unless somebody writes: then it is for them to notice."""
        try:
            lock = WriterLock(self.lock_path, Owner(0, "", ""))
        except Failure:
            return
        drop(self.path)
        lock.close()

    def damage(self) -> list[str]:
        """Read every page; one line per damage."""
        with self._lock:
            self._let_go()
            try:
                with translated(self.path.name):
                    connection = self._open()
                    if connection is not None:
                        origin_of(connection)
                        self._load(connection)
            except (Failure, KeyError, ValueError) as error:
                return [error.message if isinstance(error, Failure) else f"{self.path.name} is damaged."]
            finally:
                self._let_go()
        return []

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._origin, self._stock, self._seen = None, None, None, (0, 0)
        self._fields.clear()

    def close(self) -> None:
        with self._lock:
            self._let_go()


def grown(old: Stock, chunks: Sequence[tuple[Any, ...]], places: Sequence[tuple[Any, ...]]) -> Stock:
    """A stock and rows of the tables together; ValueError where those do not fit."""
    width = old.rows.shape[1]
    added = np.frombuffer(b"".join(row[3] for row in chunks), np.int8).reshape(-1, width)
    scales = np.frombuffer(b"".join(row[2] for row in chunks), FLOAT)
    sides = np.frombuffer(b"".join(row[4] for row in places), np.int8).reshape(-1, width)
    side_scales = np.frombuffer(b"".join(row[3] for row in places), FLOAT)
    counts = np.array([len(row[2]) // 4 for row in chunks], np.int64)
    if len(added) != len(scales) or len(sides) != len(side_scales) or len(sides) != 2 * len(places):
        raise ValueError("vectors and scales differ in number")
    held = len(old.where)
    where = {**old.where, **{(_path(row[1]), int(row[2])): held + at for at, row in enumerate(places)}}
    return Stock(
        rows=np.concatenate((old.rows, added)),
        scales=np.concatenate((old.scales, scales)),
        blobs=np.concatenate((old.blobs, np.array([row[1] for row in chunks], np.int64))),
        starts=np.concatenate((old.starts, old.starts[-1] + np.cumsum(counts))),
        norms=np.concatenate((old.norms, np.array([row[4] for row in chunks], np.float32))),
        places=np.concatenate((old.places, sides)),
        place_scales=np.concatenate((old.place_scales, side_scales)),
        where=where,
    )


def _path(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")
