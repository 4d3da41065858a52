"""Pages in the write-ahead log: a flipped bit there is reported like one in the database, and nothing else is."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import (
    PAGE_SIZE,
    map_sqlite_errors,
    open_database,
    query_rows,
)
from codecompass.store.embedded.databases.wal_checksums import FRAME_HEADER, LOG_HEADER
from tests.faults import flip_bit, flips

ROWS = 200


@pytest.fixture
def database(tmp_path: Path) -> Iterator[apsw.Connection]:
    """Everything stands in the log, because nobody copied it into the database yet."""
    connection = open_database(tmp_path / "some.db", write=True, cache_kib=64)
    connection.wal_autocheckpoint(0)
    connection.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
    with connection:
        connection.executemany("INSERT INTO texts VALUES (?, ?)", [(at, _body(at)) for at in range(ROWS)])
    yield connection
    try:
        connection.close()
    except apsw.Error:
        return


def _body(at: int, turn: int = 0) -> bytes:
    return bytes([at % 251, turn]) * 1_500


def _read(path: Path) -> list[tuple[int, bytes]]:
    connection = open_database(path, write=False, cache_kib=64)
    try:
        with map_sqlite_errors(path.name):
            return [
                (int(at), bytes(body)) for at, body in query_rows(connection, "SELECT id, body FROM texts ORDER BY id")
            ]
    finally:
        connection.close()


def test_pages_that_are_written_twice_in_one_commit(database: apsw.Connection, tmp_path: Path) -> None:
    """DAMAGE-REPORTED: no false alarm when a small cache makes SQLite write and read pages before their commit."""
    for turn in range(4):
        with database:
            for _ in range(2):
                for at in range(ROWS):
                    database.execute("UPDATE texts SET body = ? WHERE id = ?", (_body(at, turn), at))
                assert database.execute("SELECT count(*), sum(length(body)) FROM texts").fetchall()
        assert _read(tmp_path / "some.db") == [(at, _body(at, turn)) for at in range(ROWS)]
        database.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART if turn % 2 else apsw.SQLITE_CHECKPOINT_PASSIVE)
    database.execute("BEGIN IMMEDIATE")
    database.execute("UPDATE texts SET body = zeroblob(3000)")
    database.execute("ROLLBACK")
    assert query_rows(database, "SELECT count(*) FROM texts WHERE body = zeroblob(3000)") == [(0,)]
    assert query_rows(database, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("seed", range(4))
def test_a_flipped_bit_in_the_log_is_never_served(database: apsw.Connection, tmp_path: Path, seed: int) -> None:
    """DAMAGE-REPORTED: a process that reads a log in use gets the right rows or an error, and so does a checkpoint."""
    path, log = tmp_path / "some.db", tmp_path / "some.db-wal"
    right, found = _read(path), 0
    assert len(right) == ROWS and log.stat().st_size > 30 * PAGE_SIZE
    for at, bit in flips(log.stat().st_size, 60, seed):
        flip_bit(log, at, bit)
        try:
            assert _read(path) == right
        except Failure as failure:
            assert failure.code == "INDEX_INCOMPATIBLE" and "damaged" in failure.message
            found += 1
        flip_bit(log, at, bit)
    assert found > 20, "most bits of a log matter"
    assert _read(path) == right


def test_a_damaged_frame_is_not_copied_into_the_database(database: apsw.Connection, tmp_path: Path) -> None:
    """DAMAGE-REPORTED: a checkpoint would sign the damaged page as true; it fails instead."""
    flip_bit(tmp_path / "some.db-wal", LOG_HEADER + 20 * (PAGE_SIZE + FRAME_HEADER) + FRAME_HEADER + 9_000, 3)
    with pytest.raises(apsw.CorruptError, match="frame 21 of the log"):
        database.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)


def test_every_bit_of_a_header_matters_or_changes_nothing(tmp_path: Path) -> None:
    """DAMAGE-REPORTED: a header that names other pages than ours must not switch the checks off."""
    path = tmp_path / "some.db"
    connection = open_database(path, write=True)
    connection.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
    connection.executemany("INSERT INTO texts VALUES (?, ?)", [(at, _body(at)) for at in range(40)])
    connection.close()
    right = _read(path)
    for at in range(100):
        for bit in range(8):
            flip_bit(path, at, bit)
            try:
                assert _read(path) == right, (at, bit)
            except Failure as failure:
                assert failure.code == "INDEX_INCOMPATIBLE", (at, bit, failure)
            flip_bit(path, at, bit)
