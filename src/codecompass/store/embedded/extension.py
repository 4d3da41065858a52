"""The vector extension of SQLite: where its package keeps it, and whether it works, by loading and using it."""

import struct
from importlib.util import find_spec
from pathlib import Path

import apsw

from codecompass.model.supplies import ExtensionReport, Trial

ENCODINGS = {
    "float32": ("float[3]", "?", "<3f"),
    "int8": ("int8[3]", "vec_int8(?)", "<3b"),
    "bit": ("bit[8]", "vec_bit(?)", "<B"),
}
"""Encoding → column of the table, how a value is written, how it is packed."""


def package_extension() -> str:
    """The library that came with the package; empty when it was taken away."""
    # Looked for without importing it: the package loads another SQLite beside ours.
    found = find_spec("sqlite_vec")
    homes = tuple(found.submodule_search_locations or ()) if found is not None else ()
    places = (Path(home, "vec0" + ending) for home in homes for ending in (".so", ".dylib", ".dll"))
    return next((str(path) for path in places if path.is_file()), "")


def probe(path: str, encoding: str, *, load: bool) -> ExtensionReport:
    """Load a library into a database in memory, ask its version, store three vectors and find the nearest."""
    found = ExtensionReport(path=path, exists=True, encoding=encoding)
    if not load:
        return _with(found, Trial(), Trial())
    connection = apsw.Connection(":memory:")
    try:
        try:
            connection.enable_load_extension(True)
            connection.load_extension(path)
            version = str(connection.execute("SELECT vec_version()").fetchall()[0][0])
        except (apsw.Error, OSError) as error:
            return _with(found, Trial(True, False, _reason(error)), Trial())
        finally:
            connection.enable_load_extension(False)
        return _with(found, Trial(True, True), _smoke(connection, encoding), version)
    finally:
        connection.close()


def _with(found: ExtensionReport, load: Trial, smoke: Trial, version: str = "") -> ExtensionReport:
    return ExtensionReport(
        path=found.path, exists=found.exists, encoding=found.encoding, version=version, load=load, smoke=smoke
    )


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
