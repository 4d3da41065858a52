"""Vector export: copies `vectors.db` into a bundle, and adopts the `vectors.db` of an imported bundle.

The copy has the same schema and contains the rows of the exported files, in the same order, so that ties are broken in
the same way everywhere. Its `store_id` is empty in the bundle, and is set when the index is imported.
"""

import secrets
from pathlib import Path
from typing import NamedTuple

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.database_schema import VECTORS, VECTORS_VERSION
from codecompass.store.embedded.databases.sqlite_connection import (
    close_quietly,
    map_sqlite_errors,
    open_database,
    query_rows,
    transaction,
)
from codecompass.store.embedded.files.index_swap import DATABASE
from codecompass.store.embedded.files.index_swap import VECTORS as FILE
from codecompass.store.embedded.files.tarball import make_bundle_failure

_CHUNKS = "SELECT blob, scales, rows, norm FROM chunks ORDER BY number"
_PLACES = "SELECT path, blob, scales, rows FROM places ORDER BY number"
# Finds invalid rows. A blob has at least one chunk vector, a file has two vectors; all columns must have their type.
_INVALID_ROWS = """
SELECT 1 FROM chunks WHERE typeof(scales) != 'blob' OR typeof(rows) != 'blob' OR typeof(norm) != 'real'
    OR length(scales) = 0 OR length(scales) % 4 OR length(rows) != length(scales) / 4 * ?1
UNION ALL
SELECT 1 FROM places WHERE typeof(scales) != 'blob' OR typeof(rows) != 'blob' OR typeof(path) != 'blob'
    OR length(scales) != 8 OR length(rows) != 2 * ?1
LIMIT 1
"""


class ExportedVectors(NamedTuple):
    """The model of exported vectors, and the number of files with vectors."""

    model: str
    files: int


def export_vectors(source: Path, staged: Path, store_id: str) -> ExportedVectors | None:
    """Write the vectors of the index in `staged` next to it; None if there are no readable vectors."""
    try:
        held = open_database(source, write=False)
    except Failure:
        return None
    try:
        with map_sqlite_errors(FILE):
            held.execute("BEGIN")
            if int(held.pragma("user_version")) != VECTORS_VERSION:
                return None
            meta = dict(query_rows(held, "SELECT key, value FROM meta"))
            # Vectors of a previous index do not belong to this one.
            if meta.get("store_id") != store_id:
                return None
            return ExportedVectors(str(meta["model"]), _copy_rows(held, staged, meta))
    except (Failure, KeyError) as error:
        if isinstance(error, Failure) and error.code != "INDEX_INCOMPATIBLE":
            raise
        # Damaged: they are rebuilt, both here and after the import.
        (staged / FILE).unlink(missing_ok=True)
        return None
    finally:
        close_quietly(held)


def _copy_rows(held: apsw.Connection, staged: Path, meta: dict[str, object]) -> int:
    """Copy the rows of files in the views of `staged`; return the number of files with all their vectors."""
    catalog = open_database(staged / DATABASE, write=False)
    with map_sqlite_errors(DATABASE):
        entries = {(bytes(path), int(blob)) for path, blob in catalog.execute("SELECT path, blob FROM entries")}
        catalog.close()
    blobs = {blob for _, blob in entries}
    target = open_database(staged / FILE, write=True)
    try:
        with transaction(target, FILE, write=True):
            target.execute(VECTORS)
            target.pragma("user_version", VECTORS_VERSION)
            copied = {**meta, "store_id": "", "edition": secrets.token_hex(8)}
            target.executemany("INSERT INTO meta VALUES (?, ?)", list(copied.items()))
            chunks = (row for row in held.execute(_CHUNKS) if row[0] in blobs)
            target.executemany("INSERT INTO chunks (blob, scales, rows, norm) VALUES (?, ?, ?, ?)", chunks)
            places = (row for row in held.execute(_PLACES) if (row[0], row[1]) in entries)
            target.executemany("INSERT INTO places (path, blob, scales, rows) VALUES (?, ?, ?, ?)", places)
        whole = "SELECT count(DISTINCT path) FROM places JOIN chunks USING (blob)"
        return int(query_rows(target, whole)[0][0])
    finally:
        target.close()


def adopt_vectors(staged: Path, model: str, store_id: str) -> None:
    """Assign the unpacked vectors to the index next to them, or reject the bundle."""
    connection = open_database(staged / FILE, write=True)
    try:
        with transaction(connection, FILE, write=True):
            meta = dict(query_rows(connection, "SELECT key, value FROM meta"))
            width = meta.get("dimensions")
            known = isinstance(width, int) and width > 0 and {"store_id", "edition", "stamp"} <= meta.keys()
            if not known or meta.get("model") != model or any(query_rows(connection, _INVALID_ROWS, (width,))):
                raise make_bundle_failure("its vectors do not match its manifest")
            connection.execute("UPDATE meta SET value = ? WHERE key = 'store_id'", (store_id,))
    finally:
        with map_sqlite_errors(FILE):
            connection.close()
