"""The vector extension of SQLite: where its package keeps it, and how a process of its own tries it."""

import struct
import sys
from importlib.util import find_spec
from pathlib import Path

import apsw

from codecompass.model.maintenance.download_values import Trial

ENCODINGS = {
    "float32": ("float[3]", "?", "<3f"),
    "int8": ("int8[3]", "vec_int8(?)", "<3b"),
    "bit": ("bit[8]", "vec_bit(?)", "<B"),
}
"""Encoding → column of the table, how a value is written, how it is packed."""
ENTRY = "sqlite3_vec_init"
"""Where SQLite enters the library, whatever name it is opened by."""


def package_extension() -> str:
    """The library that came with the package; empty when it was taken away."""
    # Looked for without importing it: the package loads another SQLite beside ours.
    found = find_spec("sqlite_vec")
    homes = tuple(found.submodule_search_locations or ()) if found is not None else ()
    places = (Path(home, "vec0" + ending) for home in homes for ending in (".so", ".dylib", ".dll"))
    return next((str(path) for path in places if path.is_file()), "")


def trial_command(path: str, sha256: str, encoding: str) -> list[str]:
    """The command of a process that loads a library, if it still is the one of that hash, and says how it went."""
    return [sys.executable, "-P", "-m", "codecompass.store.embedded.vectors.extension_trial", path, sha256, encoding]


def load_and_use(path: str, encoding: str) -> tuple[Trial, Trial, str]:
    """Load a library into a database in memory, ask its version, store three vectors and find the nearest.

    Only for a process that has nothing to lose: see `extension_trial.py`.
    """
    connection = apsw.Connection(":memory:")
    try:
        try:
            connection.enable_load_extension(True)
            connection.load_extension(path, ENTRY)
            version = str(connection.execute("SELECT vec_version()").fetchall()[0][0])
        except (apsw.Error, OSError) as error:
            return Trial(True, False, _reason(error)), Trial(), ""
        finally:
            connection.enable_load_extension(False)
        return Trial(True, True), _smoke(connection, encoding), version
    finally:
        connection.close()


def _smoke(connection: apsw.Connection, encoding: str) -> Trial:
    column, value, packing = ENCODINGS[encoding]
    rows = ((1,), (6,), (128,)) if encoding == "bit" else ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    try:
        connection.execute(f"CREATE VIRTUAL TABLE trial USING vec0(embedding {column})")
        for number, row in enumerate(rows, 1):
            connection.execute(
                f"INSERT INTO trial(rowid, embedding) VALUES (?, {value})", (number, struct.pack(packing, *row))
            )
        query = f"SELECT rowid FROM trial WHERE embedding MATCH {value} AND k = 1"
        nearest = connection.execute(query, (struct.pack(packing, *rows[1]),)).fetchall()
    except apsw.Error as error:
        return Trial(True, False, _reason(error))
    return Trial(True, True) if nearest == [(2,)] else Trial(True, False, "it does not find the nearest vector")


def _reason(error: Exception) -> str:
    """What SQLite says, without paths of this machine."""
    words = str(error).split()
    return " ".join(word for word in words if "/" not in word and "\\" not in word)[:200] or type(error).__name__
