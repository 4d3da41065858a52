"""Entry rows: reading the files of a view, with paths stored as bytes."""

import apsw

from codecompass.store.embedded.databases.sqlite_connection import query_rows
from codecompass.store.ports import ViewEntry


def encode_path(path: str) -> bytes:
    """Encode a path as bytes, so that a name that is not UTF-8 survives the round trip."""
    return path.encode("utf-8", "surrogateescape")


def read_entries(connection: apsw.Connection, view: int) -> dict[str, ViewEntry]:
    found = query_rows(connection, "SELECT path, blob, size, mtime_ns, ctime_ns FROM entries WHERE view = ?", (view,))
    return {row[0].decode("utf-8", "surrogateescape"): ViewEntry(*row[1:]) for row in found}
