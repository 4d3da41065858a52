"""Database compaction: rewrites a database without free pages and compares the copy row by row before use."""

import shutil
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import VFS_NAME, map_sqlite_errors, query_rows

HEADROOM = 256 * 2**20
_CHECK_INTERVAL = 100_000
"""SQLite instructions between two checks for cancellation."""
Check = Callable[[], None]


def compute_required_space(size: int) -> int:
    """Return the free bytes needed to rewrite a file of this size: the copy and some headroom."""
    return max(2 * size, size + HEADROOM)


def check_free_space(directory: Path, size: int) -> None:
    """Raise DISK_FULL before anything is written if the copy would not fit."""
    free, needed = shutil.disk_usage(directory).free, compute_required_space(size)
    if free < needed:
        message = f"Compaction needs {needed // 2**20:,} MiB, but only {free // 2**20:,} MiB are free."
        raise Failure("DISK_FULL", message, {"needed": needed, "free": free}, "Free some space; nothing was changed.")


def rewrite(connection: apsw.Connection, target: Path, name: str, check: Check) -> int:
    """Write the database into another file and compare both; return their number of rows."""
    with map_sqlite_errors(name), _ProgressHandler(connection, check):
        connection.execute("VACUUM INTO ?", (str(target),))
        copy = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READONLY, vfs=VFS_NAME)
        try:
            with _ProgressHandler(copy, check):
                if copy.pragma("integrity_check") != "ok":
                    raise Failure("INTERNAL", f"The copy of {name} is damaged; the original was left unchanged.")
                return _compare_databases(connection, copy, name, check)
        finally:
            copy.close()


def _compare_databases(one: apsw.Connection, other: apsw.Connection, name: str, check: Check) -> int:
    schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    count = 0
    same = query_rows(one, schema) == query_rows(other, schema)
    for pragma in ("user_version", "application_id"):
        same = same and one.pragma(pragma) == other.pragma(pragma)
    for table in list_tables(one) if same else ():
        check()
        pairs = zip_longest(*(side.execute(f'SELECT * FROM "{table}"') for side in (one, other)))
        for left, right in pairs:
            same = same and left == right
            count += 1
    if not same:
        raise Failure("INTERNAL", f"The copy of {name} differs from the original, which was left unchanged.")
    return count


def list_tables(connection: apsw.Connection) -> list[str]:
    """Return every table that stores rows itself."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    return [str(row[0]) for row in query_rows(connection, query)]


class _ProgressHandler:
    """Context manager that calls `check` periodically while SQLite runs, so that it can raise to cancel."""

    def __init__(self, connection: apsw.Connection, check: Check) -> None:
        self._connection = connection
        self._check = check

    def __enter__(self) -> None:
        self._connection.set_progress_handler(self._check_progress, _CHECK_INTERVAL)

    def _check_progress(self) -> bool:
        self._check()
        return False

    def __exit__(self, *_: object) -> None:
        self._connection.set_progress_handler(None)
