"""Vectors in a bundle: `vectors.db` with the rows of the files that travel, and the same made a file of this machine.

It is a database of the same shape. Its rows keep their order, so that what is equally near comes in the same order
everywhere. Whose it is (`store_id`) is empty on the way, and is said anew where the index gets its new name.
"""

import secrets
from pathlib import Path
from typing import NamedTuple

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.connect import let_go, open_database, rows, transaction, translated
from codecompass.store.embedded.placement import DATABASE
from codecompass.store.embedded.placement import VECTORS as FILE
from codecompass.store.embedded.schema import VECTORS, VECTORS_VERSION
from codecompass.store.embedded.tarball import damaged

_CHUNKS = "SELECT blob, scales, rows, norm FROM chunks ORDER BY number"
_PLACES = "SELECT path, blob, scales, rows FROM places ORDER BY number"
# A chunk has at least one vector; a place has two. Numbers that are no numbers and texts for bytes fit nothing.
_MISFITS = """
SELECT 1 FROM chunks WHERE typeof(scales) != 'blob' OR typeof(rows) != 'blob' OR typeof(norm) != 'real'
    OR length(scales) = 0 OR length(scales) % 4 OR length(rows) != length(scales) / 4 * ?1
UNION ALL
SELECT 1 FROM places WHERE typeof(scales) != 'blob' OR typeof(rows) != 'blob' OR typeof(path) != 'blob'
    OR length(scales) != 8 OR length(rows) != 2 * ?1
LIMIT 1
"""


class Cargo(NamedTuple):
    """Whose vectors they are, and of how many files."""

    model: str
    files: int


def load(source: Path, made: Path, store_id: str) -> Cargo | None:
    """Write the vectors of what lies in `made` beside it; None where there are none, or none that can be read."""
    try:
        held = open_database(source, write=False)
    except Failure:
        return None
    try:
        with translated(FILE):
            held.execute("BEGIN")
            if int(held.pragma("user_version")) != VECTORS_VERSION:
                return None
            meta = dict(rows(held, "SELECT key, value FROM meta"))
            # Those of an index that was there before are nobody's.
            if meta.get("store_id") != store_id:
                return None
            return Cargo(str(meta["model"]), _copy(held, made, meta))
    except (Failure, KeyError) as error:
        if isinstance(error, Failure) and error.code != "INDEX_INCOMPATIBLE":
            raise
        # Damaged: they are made again here as well as there.
        (made / FILE).unlink(missing_ok=True)
        return None
    finally:
        let_go(held)


def _copy(held: apsw.Connection, made: Path, meta: dict[str, object]) -> int:
    """The rows of files that the views in `made` hold; returns how many of those have all of theirs."""
    catalog = open_database(made / DATABASE, write=False)
    with translated(DATABASE):
        entries = {(bytes(path), int(blob)) for path, blob in catalog.execute("SELECT path, blob FROM entries")}
        catalog.close()
    blobs = {blob for _, blob in entries}
    target = open_database(made / FILE, write=True)
    try:
        with transaction(target, FILE, write=True):
            target.execute(VECTORS)
            target.pragma("user_version", VECTORS_VERSION)
            said = {**meta, "store_id": "", "edition": secrets.token_hex(8)}
            target.executemany("INSERT INTO meta VALUES (?, ?)", list(said.items()))
            chunks = (row for row in held.execute(_CHUNKS) if row[0] in blobs)
            target.executemany("INSERT INTO chunks (blob, scales, rows, norm) VALUES (?, ?, ?, ?)", chunks)
            places = (row for row in held.execute(_PLACES) if (row[0], row[1]) in entries)
            target.executemany("INSERT INTO places (path, blob, scales, rows) VALUES (?, ?, ?, ?)", places)
        whole = "SELECT count(DISTINCT path) FROM places JOIN chunks USING (blob)"
        return int(rows(target, whole)[0][0])
    finally:
        target.close()


def unload(made: Path, model: str, store_id: str) -> None:
    """Make the vectors that were unpacked those of the index beside them, or refuse the bundle."""
    connection = open_database(made / FILE, write=True)
    try:
        with transaction(connection, FILE, write=True):
            meta = dict(rows(connection, "SELECT key, value FROM meta"))
            width = meta.get("dimensions")
            known = isinstance(width, int) and width > 0 and {"store_id", "edition", "stamp"} <= meta.keys()
            if not known or meta.get("model") != model or any(rows(connection, _MISFITS, (width,))):
                raise damaged("its vectors are not what its manifest says")
            connection.execute("UPDATE meta SET value = ? WHERE key = 'store_id'", (store_id,))
    finally:
        with translated(FILE):
            connection.close()

