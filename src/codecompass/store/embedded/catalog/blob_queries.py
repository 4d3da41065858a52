"""Blob queries: which stored blobs a sync has to look at again, and which nobody needs any more."""

import json
from collections.abc import Collection

import apsw

from codecompass.model.code.coverage import PENDING
from codecompass.store.embedded.databases.sqlite_connection import query_rows


def find_orphans(connection: apsw.Connection) -> list[int]:
    """Find blobs that no view references; none while a first index is unfinished, which will reference them."""
    if query_rows(connection, "SELECT 1 FROM skips WHERE reason = ? LIMIT 1", (PENDING,)):
        return []
    found = query_rows(connection, "SELECT id FROM blobs WHERE id NOT IN (SELECT blob FROM entries)")
    return [int(row[0]) for row in found]


def find_unlinted(connection: apsw.Connection, epoch: int, languages: Collection[str]) -> set[int]:
    """Find blobs of an epoch in these languages for which no linter's answer is stored."""
    query = (
        "SELECT id FROM blobs WHERE epoch = ? AND language IN (SELECT value FROM json_each(?))"
        " AND id NOT IN (SELECT blob FROM lint)"
    )
    return {int(row[0]) for row in query_rows(connection, query, (epoch, json.dumps(list(languages))))}
