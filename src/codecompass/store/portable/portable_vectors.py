"""Portable vectors: vectors in plain tables that any SQLite reads, and again in a table of the vector extension."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import apsw
import numpy as np

from codecompass.store.embedded.databases.sqlite_connection import query_rows
from codecompass.store.embedded.vectors.vector_extension import package_extension
from codecompass.store.embedded.vectors.vector_table import VectorTable, ViewVectors, compute_norms
from codecompass.store.portable.portable_schema import ORDINAL_BITS, VECTOR_INDEX
from codecompass.store.portable_port import PortableBlob, PortableVectors

_FLOAT = "<f4"
_PUT = "INSERT INTO vectors VALUES (?, ?, ?)"
_PUT_INDEXED = "INSERT INTO chunks_vec (rowid, vector) VALUES (?, vec_int8(?))"
_PUT_FILE = "INSERT INTO file_vectors VALUES (?, ?, ?, ?, ?, ?)"


class VectorTableWriter:
    """Writes vectors; creates the extension's table at the first one, if the extension loads."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._width = 0
        self._indexed = can_index(connection)

    def add(self, blob: PortableBlob, vectors: PortableVectors) -> None:
        scales = np.frombuffer(vectors.scales, _FLOAT).tolist()
        width = len(vectors.rows) // len(scales)
        if not self._width and self._indexed:
            self._connection.execute(VECTOR_INDEX.format(width))
        self._width = width
        first = blob.id << ORDINAL_BITS
        each = [(first + at, vectors.rows[at * width : (at + 1) * width]) for at in range(len(scales))]
        self._connection.executemany(_PUT, [(key, scale, row) for (key, row), scale in zip(each, scales, strict=True)])
        if self._indexed:
            # A zero vector has no direction, so its cosine is undefined.
            known = [one for one, scale in zip(each, scales, strict=True) if scale]
            self._connection.executemany(_PUT_INDEXED, known)
        self._connection.executemany(_PUT_FILE, [self._file_row(blob, *place) for place in vectors.places])

    def _file_row(self, blob: PortableBlob, path: str, sides: bytes, scales: bytes) -> tuple[object, ...]:
        outline, stem = np.frombuffer(scales, _FLOAT).tolist()
        return (_encode_path(path), blob.id, outline, sides[: self._width], stem, sides[self._width :])


def can_index(connection: apsw.Connection) -> bool:
    """Whether the vector extension loads into this connection."""
    path = package_extension()
    try:
        connection.enable_load_extension(True)
        connection.load_extension(path)
    except (apsw.Error, OSError):
        return False
    finally:
        connection.enable_load_extension(False)
    return True


def _encode_path(path: str) -> str | bytes:
    """Return a path as text, or as bytes if it is not valid UTF-8."""
    raw = path.encode("utf-8", "surrogateescape")
    return path if raw.decode("utf-8", "replace") == path else raw


@dataclass(frozen=True)
class PortableVectorTable:
    """The vectors of one portable file, with the file's own blob ids."""

    table: VectorTable
    files: tuple[tuple[str, int], ...]
    """Path and blob of each file with vectors, in order."""

    def to_view_vectors(self, model: str, shared: Mapping[int, int], total: int) -> ViewVectors:
        """Convert to the blob ids of a view; `shared` maps blobs of the file to blobs of the view."""
        # A blob that is not in the view gets an unused (negative) id.
        numbers = [shared.get(blob, -blob) for blob in self.table.blobs.tolist()]
        where = {(path, shared[blob]): at for at, (path, blob) in enumerate(self.files) if blob in shared}
        stock = replace(self.table, blobs=np.array(numbers, np.int64), where=where)
        field = ViewVectors(stock, model, dict(where.keys()))
        field.covered, field.total = len(set(field.files.values())), total
        return field


def read_vector_table(connection: apsw.Connection, width: int) -> PortableVectorTable:
    """Load all vectors; ValueError if they are inconsistent."""
    found = query_rows(connection, "SELECT id, scale, vector FROM vectors ORDER BY id")
    sides = query_rows(
        connection, "SELECT path, blob, outline_scale, outline, path_scale, path_vector FROM file_vectors"
    )
    keys = np.array([row[0] for row in found], np.int64)
    values = np.frombuffer(b"".join(row[2] for row in found), np.int8).reshape(-1, width)
    scales = np.array([row[1] for row in found], np.float32)
    blobs, starts = np.unique(keys >> ORDINAL_BITS, return_index=True)
    starts = np.append(starts, len(keys)).astype(np.int64)
    if len(values) != len(keys):
        raise ValueError("vectors have different lengths")
    stock = VectorTable(
        rows=values,
        scales=scales,
        blobs=blobs.astype(np.int64),
        starts=starts,
        norms=compute_norms(values, scales, starts),
        file_rows=np.frombuffer(b"".join(row[3] + row[5] for row in sides), np.int8).reshape(-1, width),
        file_scales=np.array([scale for row in sides for scale in (row[2], row[4])], np.float32),
        where={},
    )
    return PortableVectorTable(stock, tuple((_decode_path(row[0]), int(row[1])) for row in sides))


def _decode_path(path: str | bytes) -> str:
    return path if isinstance(path, str) else path.decode("utf-8", "surrogateescape")
