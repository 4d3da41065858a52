"""Memory records: the tables of records.db for discoveries, marks, sessions and file accesses."""

from collections.abc import Sequence
from typing import Any

import apsw
import msgspec

from codecompass.model.memory_values import Access, Anchor, Claim, Discovery, Happening, Session
from codecompass.store.embedded.databases.records_database import EmbeddedRecords
from codecompass.store.memory_port import Mark, Recorded

KEPT_SESSIONS = 500
KEPT_EVENTS = 20_000
KEPT_FILES = 20_000
"""Older sessions, events and file accesses are deleted, so that the file stays bounded on a busy server."""
_ENCODER = msgspec.msgpack.Encoder()
_DISCOVERY = msgspec.msgpack.Decoder(Discovery)
_ANCHORS = msgspec.msgpack.Decoder(tuple[tuple[Claim, Anchor], ...])
_SESSIONS = "SELECT id, client, started, ended, calls FROM sessions"
_PUT_MARK = "INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)"


class EmbeddedRecollections:
    """Memory tables in the same file and connection as the project records."""

    def __init__(self, records: EmbeddedRecords) -> None:
        self._records = records

    def change(self) -> int:
        """Combine the number of discoveries with the counter that every write to discoveries or marks raises."""
        query = "SELECT (SELECT count(*) FROM discoveries), (SELECT value FROM meta WHERE key = 'memory_changes')"
        ((count, changes),) = self._records.select(query)
        return int(count) * 1_000_003 + int(changes or 0)

    def recorded(self) -> Sequence[Recorded]:
        rows = self._records.select("SELECT pack, anchors FROM discoveries ORDER BY moment, rowid")
        return [Recorded(_DISCOVERY.decode(pack), _ANCHORS.decode(anchors)) for pack, anchors in rows]

    def record(self, item: Recorded, moment: str, marks: Sequence[Mark] = ()) -> bool:
        values = (item.discovery.id, moment, _ENCODER.encode(item.discovery), _ENCODER.encode(item.anchors))
        with self._records.changing() as connection:
            connection.execute("INSERT OR IGNORE INTO discoveries VALUES (?, ?, ?, ?)", values)
            added = bool(connection.changes())
            for mark in marks:
                connection.execute(_PUT_MARK, tuple(mark))
            _count(connection)
        return added

    def marks(self) -> dict[str, Mark]:
        return {row[0]: Mark(*row) for row in self._records.select("SELECT id, state, by, moment FROM marks")}

    def mark(self, mark: Mark) -> None:
        with self._records.changing() as connection:
            connection.execute(_PUT_MARK, tuple(mark))
            _count(connection)

    # -- sessions --------------------------------------------------------------------------------------------------

    def note(self, session: str, client: str, kind: str, subject: str, moment: str) -> None:
        with self._records.changing() as connection:
            connection.execute(
                "INSERT INTO sessions (id, client, started) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " client = iif(excluded.client = '', client, excluded.client), ended = ''", (session, client, moment),
            )  # fmt: skip
            connection.execute("UPDATE sessions SET calls = calls + 1 WHERE id = ?", (session,))
            connection.execute(
                "INSERT INTO session_events (session, kind, subject, moment) VALUES (?, ?, ?, ?)",
                (session, kind, subject, moment),
            )
            if kind == "read":
                connection.execute(
                    "INSERT INTO access VALUES (?, 1, ?, ?) ON CONFLICT (path) DO UPDATE SET"
                    " count = count + 1, last = excluded.last", (subject, moment, moment),
                )  # fmt: skip
            _prune(connection)

    def end(self, session: str, moment: str) -> None:
        with self._records.changing() as connection:
            connection.execute("UPDATE sessions SET ended = ? WHERE id = ? AND ended = ''", (moment, session))

    def sessions(self, limit: int, events: int) -> Sequence[Session]:
        rows = self._records.select(_SESSIONS + " ORDER BY started DESC, id LIMIT ?", (limit,))
        return [self._with_events(row, events) for row in rows]

    def session(self, name: str, events: int) -> Session | None:
        rows = self._records.select(_SESSIONS + " WHERE id = ?", (name,))
        return self._with_events(rows[0], events) if rows else None

    def _with_events(self, row: tuple[Any, ...], events: int) -> Session:
        query = "SELECT kind, subject, moment FROM session_events WHERE session = ? ORDER BY number DESC LIMIT ?"
        found = self._records.select(query, (row[0], events))
        happened = tuple(Happening(*one) for one in reversed(found))
        return Session(*row)._replace(events=happened)

    def accesses(self) -> Sequence[Access]:
        return [Access(*row) for row in self._records.select("SELECT path, count, first, last FROM access")]


def _count(connection: apsw.Connection) -> None:
    connection.execute(
        "INSERT INTO meta VALUES ('memory_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )


def _prune(connection: apsw.Connection) -> None:
    newest = connection.last_insert_rowid()
    if newest % 64:
        return
    kept = "SELECT id FROM sessions ORDER BY started DESC LIMIT ?"
    connection.execute(f"DELETE FROM sessions WHERE id NOT IN ({kept})", (KEPT_SESSIONS,))
    # Numbers only increase, so the oldest events have the lowest.
    connection.execute(
        "DELETE FROM session_events WHERE number <= (SELECT max(number) FROM session_events) - ?", (KEPT_EVENTS,)
    )
    connection.execute(
        "DELETE FROM access WHERE path NOT IN (SELECT path FROM access ORDER BY last DESC LIMIT ?)", (KEPT_FILES,)
    )
