"""Portable connection: opens a portable file read-only with checksums, and rejects files of another format."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import BUSY_MS, VFS_NAME, map_sqlite_errors
from codecompass.store.portable.portable_schema import APPLICATION_ID, SCHEMA_VERSION

CACHE_KIB = 16_384
REBUILD_HINT = "Call build_sqlite_index to rebuild it."
PART = "portable"
_HEADER = 100


@contextmanager
def map_portable_errors(name: str) -> Iterator[None]:
    """Turn SQLite's errors into failures that name the portable file as the damaged part, not the index."""
    try:
        with map_sqlite_errors(name):
            yield
    except Failure as failure:
        if failure.code not in ("INDEX_INCOMPATIBLE", "NO_INDEX"):
            raise
        raise Failure(
            "INDEX_INCOMPATIBLE", failure.message, {"schema_status": "corrupt_manifest", "part": PART}, REBUILD_HINT
        ) from failure


def open_readonly(path: Path) -> apsw.Connection:
    with map_portable_errors(path.name):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=VFS_NAME)
        connection.set_busy_timeout(BUSY_MS)
        connection.pragma("cache_size", -CACHE_KIB)
        connection.pragma("temp_store", "memory")
    return connection


def check_portable_schema(connection: apsw.Connection, name: str) -> None:
    """Reject a file of another program or of another schema version."""
    with map_portable_errors(name):
        owner = int(connection.pragma("application_id"))
        version = int(connection.pragma("user_version"))
    if owner != APPLICATION_ID:
        message = f"{name} is not a file of this program."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": PART}, REBUILD_HINT)
    if version != SCHEMA_VERSION:
        message = f"{name} has schema {version}, this program needs {SCHEMA_VERSION}."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "reindex_required", "part": PART}, REBUILD_HINT)


def is_portable_file(path: Path) -> bool:
    """Whether the header of a file has our application id: only such a file may be overwritten."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    return header[:16] == b"SQLite format 3\0" and int.from_bytes(header[68:72], "big") == APPLICATION_ID
