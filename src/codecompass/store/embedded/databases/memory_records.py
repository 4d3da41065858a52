"""Memory records: the tables of records.db for discoveries, marks, sessions and file accesses."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import apsw
import msgspec

from codecompass.model.memory_values import Anchor, Claim, Discovery, FileAccess, SessionActivity, SessionRecord
from codecompass.store.embedded.databases.records_database import EmbeddedRecords
from codecompass.store.memory_port import DiscoveryMark, RecordedDiscovery

MAX_SESSIONS = 500
MAX_EVENTS = 20_000
MAX_FILES = 20_000
"""Older sessions, events and file accesses are deleted, so that the file stays bounded on a busy server."""
_ENCODER = msgspec.msgpack.Encoder()
_DISCOVERY = msgspec.msgpack.Decoder(Discovery)
_ANCHORS = msgspec.msgpack.Decoder(tuple[tuple[Claim, Anchor], ...])
_SESSIONS = "SELECT id, client, started, ended, calls FROM sessions"
_PUT_MARK = "INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)"


class EmbeddedMemoryRecords:
    """Memory tables in the same file and connection as the project records."""

    def __init__(self, records: EmbeddedRecords) -> None:
        self._records = records

    def read_change_counter(self) -> int:
        """Combine the number of discoveries with the counter that every write to discoveries or marks raises."""
        query = "SELECT (SELECT count(*) FROM discoveries), (SELECT value FROM meta WHERE key = 'memory_changes')"
        ((count, changes),) = self._records.select(query)
        return int(count) * 1_000_003 + int(changes or 0)

    def read_discoveries(self) -> Sequence[RecordedDiscovery]:
        rows = self._records.select("SELECT pack, anchors FROM discoveries ORDER BY moment, rowid")
        found = []
        for pack, anchors in rows:
            # A record of a newer version may have a type that this one does not know: it stays in the file.
            with suppress(msgspec.ValidationError):
                pairs = tuple((claim, anchor.restore_path()) for claim, anchor in _ANCHORS.decode(anchors))
                found.append(RecordedDiscovery(_DISCOVERY.decode(pack), pairs))
        return found

    def record_discovery(self, item: RecordedDiscovery, moment: str, marks: Sequence[DiscoveryMark] = ()) -> bool:
        anchors = [(claim, anchor.escape_path()) for claim, anchor in item.anchors]
        values = (item.discovery.id, moment, _ENCODER.encode(item.discovery), _ENCODER.encode(anchors))
        with self._records.write_transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO discoveries VALUES (?, ?, ?, ?)", values)
            added = bool(connection.changes())
            for mark in marks:
                connection.execute(_PUT_MARK, tuple(mark))
            _count_change(connection)
        return added

    def read_marks(self) -> dict[str, DiscoveryMark]:
        return {row[0]: DiscoveryMark(*row) for row in self._records.select("SELECT id, state, by, moment FROM marks")}

    def set_mark(self, mark: DiscoveryMark) -> None:
        with self._records.write_transaction() as connection:
            connection.execute(_PUT_MARK, tuple(mark))
            _count_change(connection)

    # -- sessions --------------------------------------------------------------------------------------------------

    def record_event(self, session: str, client: str, kind: str, subject: str, moment: str) -> None:
        with self._records.write_transaction() as connection:
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

    def end_session(self, session: str, moment: str) -> None:
        with self._records.write_transaction() as connection:
            connection.execute("UPDATE sessions SET ended = ? WHERE id = ? AND ended = ''", (moment, session))

    def read_sessions(self, limit: int, events: int) -> Sequence[SessionRecord]:
        rows = self._records.select(_SESSIONS + " ORDER BY started DESC, id LIMIT ?", (limit,))
        return [self._with_events(row, events) for row in rows]

    def read_session(self, name: str, events: int) -> SessionRecord | None:
        rows = self._records.select(_SESSIONS + " WHERE id = ?", (name,))
        return self._with_events(rows[0], events) if rows else None

    def _with_events(self, row: tuple[Any, ...], events: int) -> SessionRecord:
        query = "SELECT kind, subject, moment FROM session_events WHERE session = ? ORDER BY number DESC LIMIT ?"
        found = self._records.select(query, (row[0], events))
        happened = tuple(SessionActivity(*one) for one in reversed(found))
        return SessionRecord(*row)._replace(events=happened)

    def read_accesses(self) -> Sequence[FileAccess]:
        return [FileAccess(*row) for row in self._records.select("SELECT path, count, first, last FROM access")]


def _count_change(connection: apsw.Connection) -> None:
    connection.execute(
        "INSERT INTO meta VALUES ('memory_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )


def _prune(connection: apsw.Connection) -> None:
    newest = connection.last_insert_rowid()
    if newest % 64:
        return
    kept = "SELECT id FROM sessions ORDER BY started DESC LIMIT ?"
    connection.execute(f"DELETE FROM sessions WHERE id NOT IN ({kept})", (MAX_SESSIONS,))
    # Numbers only increase, so the oldest events have the lowest.
    connection.execute(
        "DELETE FROM session_events WHERE number <= (SELECT max(number) FROM session_events) - ?", (MAX_EVENTS,)
    )
    connection.execute(
        "DELETE FROM access WHERE path NOT IN (SELECT path FROM access ORDER BY last DESC LIMIT ?)", (MAX_FILES,)
    )
