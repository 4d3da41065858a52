"""Vector extension of SQLite: finding the packaged library, and testing it in a separate process."""

import struct
import sys
from importlib.util import find_spec
from pathlib import Path

import apsw

from codecompass.model.maintenance.download_values import ProbeResult

ENCODINGS = {
    "float32": ("float[3]", "?", "<3f"),
    "int8": ("int8[3]", "vec_int8(?)", "<3b"),
    "bit": ("bit[8]", "vec_bit(?)", "<B"),
}
"""Encoding → column type, SQL of a value, struct format."""
ENTRY_POINT = "sqlite3_vec_init"
"""The entry point of the library, given explicitly because SQLite would derive it from the file name."""


def package_extension() -> str:
    """Return the path of the packaged library; empty if it is missing."""
    # Found without an import, because the package loads another SQLite besides ours.
    found = find_spec("sqlite_vec")
    homes = tuple(found.submodule_search_locations or ()) if found is not None else ()
    places = (Path(home, "vec0" + ending) for home in homes for ending in (".so", ".dylib", ".dll"))
    return next((str(path) for path in places if path.is_file()), "")


def trial_command(path: str, sha256: str, encoding: str) -> list[str]:
    """Return the command of a process that loads and tests a library, if it still has that hash."""
    return [sys.executable, "-P", "-m", "codecompass.store.embedded.vectors.extension_trial", path, sha256, encoding]


def load_and_smoke_test(path: str, encoding: str) -> tuple[ProbeResult, ProbeResult, str]:
    """Load a library into an in-memory database, read its version, store three vectors and find the nearest.

    Only for a sandboxed process: see `extension_trial.py`.
    """
    connection = apsw.Connection(":memory:")
    try:
        try:
            connection.enable_load_extension(True)
            connection.load_extension(path, ENTRY_POINT)
            version = str(connection.execute("SELECT vec_version()").fetchall()[0][0])
        except (apsw.Error, OSError) as error:
            return ProbeResult(True, False, _describe_error(error)), ProbeResult(), ""
        finally:
            connection.enable_load_extension(False)
        return ProbeResult(True, True), _smoke_test(connection, encoding), version
    finally:
        connection.close()


def _smoke_test(connection: apsw.Connection, encoding: str) -> ProbeResult:
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
        return ProbeResult(True, False, _describe_error(error))
    return (
        ProbeResult(True, True)
        if nearest == [(2,)]
        else ProbeResult(True, False, "it does not find the nearest vector")
    )


def _describe_error(error: Exception) -> str:
    """Return SQLite's message without paths of this machine."""
    words = str(error).split()
    return " ".join(word for word in words if "/" not in word and "\\" not in word)[:200] or type(error).__name__
