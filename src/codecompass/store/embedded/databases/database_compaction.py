"""Compaction: a database written anew without its free pages, compared row for row before it may take a place."""

import shutil
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.page_checksums import LAYER_NAME
from codecompass.store.embedded.databases.sqlite_connection import rows, translated

HEADROOM = 256 * 2**20
_STEPS = 100_000
"""Instructions of SQLite between two looks at whether the caller still waits."""
Check = Callable[[], None]


def room_needed(size: int) -> int:
    """Bytes that must be free to write a file of this size anew: the copy, and something for everybody else."""
    return max(2 * size, size + HEADROOM)


def check_room(directory: Path, size: int) -> None:
    """DISK_FULL before anything is written where the copy would not fit."""
    free, needed = shutil.disk_usage(directory).free, room_needed(size)
    if free < needed:
        said = f"Writing it anew needs {needed // 2**20:,} MiB, and {free // 2**20:,} MiB are free."
        raise Failure("DISK_FULL", said, {"needed": needed, "free": free}, "Free some space; nothing was changed.")


def rewrite(connection: apsw.Connection, target: Path, name: str, check: Check) -> int:
    """Write the database into another file and compare both; returns how many rows they have."""
    with translated(name), _watched(connection, check):
        connection.execute("VACUUM INTO ?", (str(target),))
        copy = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READONLY, vfs=LAYER_NAME)
        try:
            with _watched(copy, check):
                if copy.pragma("integrity_check") != "ok":
                    raise Failure("INTERNAL", f"{name} was not copied soundly; it was left as it is.")
                return _compared(connection, copy, name, check)
        finally:
            copy.close()


def _compared(one: apsw.Connection, other: apsw.Connection, name: str, check: Check) -> int:
    schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    count = 0
    same = rows(one, schema) == rows(other, schema)
    for pragma in ("user_version", "application_id"):
        same = same and one.pragma(pragma) == other.pragma(pragma)
    for table in tables(one) if same else ():
        check()
        pairs = zip_longest(*(side.execute(f'SELECT * FROM "{table}"') for side in (one, other)))
        for left, right in pairs:
            same = same and left == right
            count += 1
    if not same:
        raise Failure("INTERNAL", f"The copy of {name} differs from it; it was left as it is.")
    return count


def tables(connection: apsw.Connection) -> list[str]:
    """Every table that holds rows of its own."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    return [str(row[0]) for row in rows(connection, query)]


class _watched:
    """While SQLite works, the caller is asked now and then whether it is still wanted."""

    def __init__(self, connection: apsw.Connection, check: Check) -> None:
        self._connection = connection
        self._check = check

    def __enter__(self) -> None:
        self._connection.set_progress_handler(self._look, _STEPS)

    def _look(self) -> bool:
        self._check()
        return False

    def __exit__(self, *_: object) -> None:
        self._connection.set_progress_handler(None)
