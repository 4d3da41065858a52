"""View names: what the catalog has indexed, read without the text index, so that a rebuild can index it again."""

from pathlib import Path

from codecompass.store.embedded.databases.readonly_open import open_reader
from codecompass.store.embedded.databases.sqlite_connection import (
    check_schema,
    close_quietly,
    map_sqlite_errors,
    query_rows,
)


def read_view_names(database: Path) -> tuple[str, ...]:
    """Return the names of all views; none if there is no catalog, Failure if it cannot be read."""
    if not database.exists():
        return ()
    connection = open_reader(database)
    try:
        with map_sqlite_errors(database.name):
            check_schema(int(connection.pragma("user_version")))
            return tuple(str(row[0]) for row in query_rows(connection, "SELECT name FROM views ORDER BY name"))
    finally:
        close_quietly(connection)
