"""Records database (records.db): owned data of a project. Indexing never deletes it."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from threading import Lock
from typing import Any

import apsw

from codecompass.errors import Failure
from codecompass.model.job import Job
from codecompass.store.embedded.databases.database_schema import RECORDS, RECORDS_VERSION
from codecompass.store.embedded.databases.readonly_open import check_unchanged, open_reader
from codecompass.store.embedded.databases.sqlite_connection import (
    close_quietly,
    make_readonly_failure,
    map_sqlite_errors,
    open_database,
    transaction,
)

_COLUMNS = tuple(item.name for item in fields(Job))
_INSERT = f"INSERT OR REPLACE INTO jobs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM jobs"
CACHED_JOBS = 20
_UNWRITABLE = ("DISK_FULL", "DISK_FAILED")
"""Failure codes of a file that may still be read: on a full disk and in a read-only directory."""
MAX_JOBS = 200
"""Older ended jobs are deleted, so that a restart loop cannot grow the file."""


@contextmanager
def _map_owned_failures() -> Iterator[None]:
    """Change failures that suggest indexing, because indexing does not restore owned data."""
    try:
        yield
    except Failure as failure:
        if failure.code == "NO_INDEX":
            raise Failure("INTERNAL", failure.message) from failure
        if failure.code == "INDEX_INCOMPATIBLE" and not failure.hint:
            raise replace(failure, hint="Run 'codecompass doctor'; reindexing does not repair it.") from failure
        raise


class EmbeddedRecords:
    """Jobs and project metadata in one small database, shared by all processes.

    On a full or read-only disk it is opened for reading only, and writes fail. Each use first tries to write.
    """

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._name = path.name
        self._connection: apsw.Connection | None = None
        self._writes = 0
        self._newest: tuple[tuple[int, int], list[Job]] | None = None
        """Cached newest jobs with the state of the file they were read from; one request reads them several times."""
        with _map_owned_failures():
            try:
                self._open()
            except Failure as failure:
                if failure.code not in _UNWRITABLE or not path.exists():
                    raise
                self._check_readable(failure)

    def _open(self) -> apsw.Connection:
        """Return the connection for reading and writing."""
        if self._connection is None:
            connection = self._open_for_writing()
            try:
                self._migrate(connection)
            except BaseException:
                close_quietly(connection)
                raise
            self._connection = connection
        return self._connection

    def _open_for_writing(self) -> apsw.Connection:
        try:
            return open_database(self._path, write=True, cache_kib=512)
        except Failure as failure:
            if failure.code != "NO_INDEX" or not self._path.exists() or os.access(self._path, os.W_OK):
                raise
            raise make_readonly_failure(self._name) from failure

    def _migrate(self, connection: apsw.Connection) -> None:
        with map_sqlite_errors(self._name):
            version = int(connection.pragma("user_version"))
        if version == RECORDS_VERSION:
            return
        with transaction(connection, self._name, write=True):
            # Another process may have migrated it between the check and the lock.
            version = int(connection.pragma("user_version"))
            for step in RECORDS[version:]:
                connection.execute(step)
            if version < RECORDS_VERSION:
                connection.pragma("user_version", RECORDS_VERSION)
            elif version > RECORDS_VERSION:
                raise Failure("INDEX_INCOMPATIBLE", f"{self._name} was written by a newer version of codecompass.",
                              hint="Upgrade codecompass; nothing was changed.")  # fmt: skip

    def _check_readable(self, failure: Failure) -> None:
        """Raise unless the file has this version, since it cannot be migrated on a full disk."""
        with self._read_connection() as connection:
            if int(connection.pragma("user_version")) != RECORDS_VERSION:
                raise failure

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        with self._lock, transaction(self._open(), self._name, write=True):
            self._writes += 1
            yield self._open()

    @contextmanager
    def _read_connection(self) -> Iterator[apsw.Connection]:
        with self._lock, map_sqlite_errors(self._name):
            try:
                connection = self._open()
            except Failure as failure:
                if failure.code not in _UNWRITABLE:
                    raise
                connection = open_reader(self._path, cache_kib=512)
            try:
                yield connection
                check_unchanged(connection)
            finally:
                if connection is not self._connection:
                    close_quietly(connection)

    def write_transaction(self) -> AbstractContextManager[apsw.Connection]:
        """Open a write transaction, for tables that have their own module."""
        return self._write()

    def select(self, query: str, bindings: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._read_connection() as connection:
            return connection.execute(query, bindings).fetchall()

    def put_job(self, job: Job) -> None:
        with self._write() as connection:
            connection.execute(_INSERT, tuple(getattr(job, name) for name in _COLUMNS))
            connection.execute(
                "DELETE FROM jobs WHERE status NOT IN ('queued', 'running', 'validating') AND job_id NOT IN"
                " (SELECT job_id FROM jobs ORDER BY created_at DESC, rowid DESC LIMIT ?)", (MAX_JOBS,))  # fmt: skip

    def job(self, job_id: str) -> Job | None:
        rows = self._rows(_SELECT + " WHERE job_id = ?", (job_id,))
        return rows[0] if rows else None

    def jobs(self, limit: int) -> list[Job]:
        """Return jobs, newest first."""
        query = _SELECT + " ORDER BY created_at DESC, rowid DESC LIMIT ?"
        if limit > CACHED_JOBS:
            return self._rows(query, (limit,))
        with self._read_connection() as connection:
            # `data_version` changes when another connection has written, our own count when this one has.
            state = (int(connection.pragma("data_version")), self._writes)
            if self._newest is None or self._newest[0] != state or connection is not self._connection:
                rows = connection.execute(query, (CACHED_JOBS,))
                self._newest = (state, [Job(*row) for row in rows])
            return self._newest[1][:limit]

    def _rows(self, query: str, bindings: tuple[object, ...]) -> list[Job]:
        return [Job(*row) for row in self.select(query, bindings)]

    def get(self, key: str) -> str | None:
        rows = self.select("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def set(self, key: str, value: str) -> None:
        with self._write() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def can_write(self) -> bool:
        try:
            with self._write():
                return True
        except Failure as failure:
            if failure.code not in _UNWRITABLE:
                raise
            return False

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                close_quietly(self._connection)
