"""History database (history.db): commit records, traces, line counts and blames. Derived; may be deleted at any time.

Rows are keyed by commit and never changed, so that any number of processes may write concurrently: they all write the
same values. A file that is damaged, too large, or of another schema is deleted and recreated.
"""

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw
import msgspec

from codecompass.model.history_facts import Blame, CommitRecord, TreeCommits
from codecompass.store.embedded.databases.derived_database import DerivedDatabase

HISTORY_VERSION = 1
SEGMENT_RECORDS = 1_000
"""Records packed together, because neighbours are read together."""
MAX_TRACES = 12
MAX_BLAMES = 4_000
MAX_BYTES = 2**28
_BATCH = 400
_LEVEL = 1

_SCHEMA = """
CREATE TABLE segments (id INTEGER PRIMARY KEY, pack BLOB NOT NULL);
CREATE TABLE commits (id BLOB PRIMARY KEY, segment INTEGER NOT NULL) WITHOUT ROWID;
-- `terms` are what a trace depends on besides the commit: window, limit, where a shallow clone ends.
CREATE TABLE traces (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL, terms TEXT NOT NULL, pack BLOB NOT NULL, UNIQUE (id, terms));
-- Lines added and deleted; NULL where they cannot be counted because contents are missing.
CREATE TABLE counts (
    id BLOB NOT NULL, path BLOB NOT NULL, added INTEGER, deleted INTEGER, PRIMARY KEY (id, path)) WITHOUT ROWID;
CREATE TABLE blames (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL, path BLOB NOT NULL, pack BLOB NOT NULL, UNIQUE (id, path));
"""
_RECORDS = msgspec.msgpack.Decoder(tuple[CommitRecord, ...])
_TRACE = msgspec.msgpack.Decoder(TreeCommits)
_BLAME = msgspec.msgpack.Decoder(Blame)
_ENCODER = msgspec.msgpack.Encoder()


class EmbeddedHistoryStore(DerivedDatabase):
    """Cached git history, opened at first use; thread-safe."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _SCHEMA, HISTORY_VERSION, MAX_BYTES)

    # -- commits ---------------------------------------------------------------------------------------------------

    def records(self, commit: str) -> Sequence[CommitRecord]:
        """Return the records in the same pack as a commit's; empty if it is not stored."""
        query = "SELECT pack FROM segments WHERE id = (SELECT segment FROM commits WHERE id = ?)"
        found = self._query(query, (bytes.fromhex(commit),))
        records = self._decode(found[0][0], _decode_records) if found else None
        return records if records is not None and any(one.commit.id == commit for one in records) else ()

    def add_records(self, records: Sequence[CommitRecord]) -> None:
        """Store records; existing ones are not changed."""
        packs = [
            ([bytes.fromhex(one.commit.id) for one in part], zlib.compress(_ENCODER.encode(part), _LEVEL))
            for part in (records[at : at + SEGMENT_RECORDS] for at in range(0, len(records), SEGMENT_RECORDS))
        ]

        def write(connection: apsw.Connection) -> None:
            for names, pack in packs:
                connection.execute("INSERT INTO segments (pack) VALUES (?)", (pack,))
                at = connection.last_insert_rowid()
                connection.executemany("INSERT OR IGNORE INTO commits VALUES (?, ?)", [(name, at) for name in names])

        self._write(write)

    # -- traces ----------------------------------------------------------------------------------------------------

    def trace(self, commit: str, terms: str) -> TreeCommits | None:
        found = self._query("SELECT pack FROM traces WHERE id = ? AND terms = ?", (bytes.fromhex(commit), terms))
        return self._decode(found[0][0], lambda pack: _TRACE.decode(zlib.decompress(pack))) if found else None

    def list_traced_commits(self, terms: str) -> list[str]:
        """Return the commits that have a trace, most recently stored first."""
        query = "SELECT id FROM traces WHERE terms = ? ORDER BY number DESC"
        return [row[0].hex() for row in self._query(query, (terms,))]

    def put_trace(self, commit: str, terms: str, trace: TreeCommits) -> None:
        pack = zlib.compress(_ENCODER.encode(trace), _LEVEL)

        def write(connection: apsw.Connection) -> None:
            values = (bytes.fromhex(commit), terms, pack)
            connection.execute("INSERT OR IGNORE INTO traces (id, terms, pack) VALUES (?, ?, ?)", values)
            _prune(connection, "traces", MAX_TRACES)

        self._write(write)

    # -- lines -----------------------------------------------------------------------------------------------------

    def counts(self, commits: Iterable[str]) -> dict[tuple[str, bytes], tuple[int, int] | None]:
        """Return (commit, path) → lines added and deleted of all counted paths; None if they cannot be counted."""
        found: dict[tuple[str, bytes], tuple[int, int] | None] = {}
        wanted = [bytes.fromhex(commit) for commit in commits]
        for at in range(0, len(wanted), _BATCH):
            part = tuple(wanted[at : at + _BATCH])
            marks = ", ".join("?" * len(part))
            for name, path, added, deleted in self._query(f"SELECT * FROM counts WHERE id IN ({marks})", part):
                found[name.hex(), path] = None if added is None else (added, deleted)
        return found

    def add_counts(self, counted: Iterable[tuple[str, bytes, int | None, int | None]]) -> None:
        values = [(bytes.fromhex(commit), *rest) for commit, *rest in counted]
        self._write(lambda connection: _insert(connection, "INSERT OR IGNORE INTO counts VALUES (?, ?, ?, ?)", values))

    def blame(self, commit: str, path: bytes) -> Blame | None:
        found = self._query("SELECT pack FROM blames WHERE id = ? AND path = ?", (bytes.fromhex(commit), path))
        return self._decode(found[0][0], lambda pack: _BLAME.decode(zlib.decompress(pack))) if found else None

    def put_blame(self, commit: str, path: bytes, blame: Blame) -> None:
        pack = zlib.compress(_ENCODER.encode(blame), _LEVEL)

        def write(connection: apsw.Connection) -> None:
            values = (bytes.fromhex(commit), path, pack)
            connection.execute("INSERT OR IGNORE INTO blames (id, path, pack) VALUES (?, ?, ?)", values)
            _prune(connection, "blames", MAX_BLAMES)

        self._write(write)


def _decode_records(pack: bytes) -> tuple[CommitRecord, ...]:
    return _RECORDS.decode(zlib.decompress(pack))


def _insert(connection: apsw.Connection, query: str, values: Sequence[tuple[object, ...]]) -> None:
    connection.executemany(query, values)


def _prune(connection: apsw.Connection, table: str, kept: int) -> None:
    """Delete all but the newest `kept` rows."""
    query = f"DELETE FROM {table} WHERE number <= (SELECT max(number) FROM {table}) - ?"
    connection.execute(query, (kept,))
