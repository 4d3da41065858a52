"""Symbol queries: definitions and mentions of names in one generation of the catalog."""

import json
from collections.abc import Collection, Container

import apsw

from codecompass.model.code.kinds import SECONDARY
from codecompass.store.embedded.databases.sqlite_connection import query_rows
from codecompass.store.fact_codec import hash_name
from codecompass.store.ports import SymbolRow

_MAX_DEFINERS = 64
"""Defining blobs, over all views, from which a name is treated as common without counting further."""
_MAX_SIMILAR = 20_000
_SECONDARY = "('" + "', '".join(sorted(SECONDARY)) + "')"


def find_symbols(connection: apsw.Connection, folded: str, *, prefix: bool, limit: int) -> list[SymbolRow]:
    where = "folded >= ? AND folded < ?" if prefix else "folded = ?"
    bindings = (folded, folded + "\U0010ffff") if prefix else (folded,)
    found: list[SymbolRow] = []
    # Code first, so that many manifests with the same key cannot exhaust the limit.
    for which in (f"NOT IN {_SECONDARY}", f"IN {_SECONDARY}"):
        query = f"SELECT blob, position, name, kind FROM symbols WHERE {where} AND kind {which}"
        query += " ORDER BY folded, blob, position LIMIT ?"
        found += [SymbolRow(*row) for row in query_rows(connection, query, (*bindings, limit - len(found)))]
    return found


def find_similar_names(connection: apsw.Connection, folded: str) -> list[str]:
    """Find distinct names whose length differs little, and that share the first or the last letters."""
    spread = max(1, min(3, len(folded) // 3))
    query = (
        f"SELECT DISTINCT name FROM symbols WHERE kind NOT IN {_SECONDARY} AND length(folded) BETWEEN ? AND ?"
        " AND (substr(folded, 1, 1) = ? OR substr(folded, -2) = ?) LIMIT ?"
    )
    bindings = (len(folded) - spread, len(folded) + spread, folded[:1], folded[-2:], _MAX_SIMILAR)
    return [str(name) for (name,) in query_rows(connection, query, bindings)]


def find_blobs_mentioning(
    connection: apsw.Connection, names: Collection[str], within: Container[int], rare: int
) -> dict[str, set[int]]:
    """Return name → mentioning blobs. Uses one statement, because a search asks for hundreds of names."""
    folded = {name: name.casefold() for name in names}
    definers = f"SELECT DISTINCT blob FROM symbols WHERE folded = asked.value LIMIT {_MAX_DEFINERS}"
    query = f"SELECT (SELECT json_group_array(blob) FROM ({definers})) FROM json_each(?) AS asked ORDER BY key"
    found = query_rows(connection, query, (json.dumps(list(folded.values())),))
    keys = {}
    for name, (packed,) in zip(folded, found, strict=True):
        blobs = json.loads(packed)
        if len(blobs) < _MAX_DEFINERS and sum(blob in within for blob in blobs) <= rare:
            keys[hash_name(name)] = name
    mentioned: dict[str, set[int]] = {name: set() for name in keys.values()}
    query = "SELECT key, blob FROM mentions WHERE key IN (SELECT value FROM json_each(?))"
    for key, blob in query_rows(connection, query, (json.dumps(list(keys)),)):
        mentioned[keys[key]].add(int(blob))
    return mentioned


def find_blobs_with_note(connection: apsw.Connection, note: str) -> set[int]:
    query = "SELECT id FROM blobs WHERE instr(' ' || notes || ' ', ?)"
    return {int(row[0]) for row in query_rows(connection, query, (f" {note} ",))}
