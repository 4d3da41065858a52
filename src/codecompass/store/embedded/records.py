"""records.db: what the project owns. Indexing never deletes it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from threading import Lock
from typing import Any

import apsw

from codecompass.errors import Failure
from codecompass.model.job import Job
from codecompass.store.embedded.connect import let_go, open_database, transaction, translated
from codecompass.store.embedded.schema import RECORDS, RECORDS_VERSION

_COLUMNS = tuple(item.name for item in fields(Job))
_INSERT = f"INSERT OR REPLACE INTO jobs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM jobs"
CACHED_JOBS = 20
KEPT_JOBS = 200
"""Older ended jobs are dropped, so that a restart loop cannot grow the file."""


@contextmanager
def _owned() -> Iterator[None]:
    """Indexing makes nothing owned anew: who cannot open it must not be told to index."""
    try:
        yield
    except Failure as failure:
        if failure.code == "NO_INDEX":
            raise Failure("INTERNAL", failure.message) from failure
        if failure.code == "INDEX_INCOMPATIBLE" and not failure.hint:
            raise replace(failure, hint="Run 'codecompass doctor'; indexing anew does not mend it.") from failure
        raise


class EmbeddedRecords:
    """Jobs and project facts in one small database, shared by all processes."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._name = path.name
        with _owned():
            self._connection = open_database(path, write=True, cache_kib=512)
        self._writes = 0
        self._newest: tuple[tuple[int, int], list[Job]] | None = None
        """The newest jobs, and the state of the file they were read from: one answer asks for them several times."""
        with _owned():
            self._migrate()

    def _migrate(self) -> None:
        with self._write():
            version = int(self._connection.pragma("user_version"))
            for step in RECORDS[version:]:
                self._connection.execute(step)
            if version < RECORDS_VERSION:
                self._connection.pragma("user_version", RECORDS_VERSION)
            elif version > RECORDS_VERSION:
                raise Failure("INDEX_INCOMPATIBLE", f"{self._name} was written by a newer version of codecompass.",
                              hint="Upgrade codecompass; nothing was changed.")  # fmt: skip

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        with self._lock, transaction(self._connection, self._name, write=True):
            self._writes += 1
            yield self._connection

    def changing(self) -> AbstractContextManager[apsw.Connection]:
        """One writing transaction, for the parts of the file that have a module of their own."""
        return self._write()

    def select(self, query: str, bindings: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._lock, translated(self._name):
            return self._connection.execute(query, bindings).fetchall()

    def put_job(self, job: Job) -> None:
        with self._write():
            self._connection.execute(_INSERT, tuple(getattr(job, name) for name in _COLUMNS))
            self._connection.execute(
                "DELETE FROM jobs WHERE status NOT IN ('queued', 'running', 'validating') AND job_id NOT IN"
                " (SELECT job_id FROM jobs ORDER BY created_at DESC, rowid DESC LIMIT ?)", (KEPT_JOBS,))  # fmt: skip

    def job(self, job_id: str) -> Job | None:
        rows = self._rows(_SELECT + " WHERE job_id = ?", (job_id,))
        return rows[0] if rows else None

    def jobs(self, limit: int) -> list[Job]:
        """The newest jobs first."""
        query = _SELECT + " ORDER BY created_at DESC, rowid DESC LIMIT ?"
        if limit > CACHED_JOBS:
            return self._rows(query, (limit,))
        with self._lock, translated(self._name):
            # The version moves when another connection has written, our own count when this one has.
            state = (int(self._connection.pragma("data_version")), self._writes)
            if self._newest is None or self._newest[0] != state:
                rows = self._connection.execute(query, (CACHED_JOBS,))
                self._newest = (state, [Job(*row) for row in rows])
            return self._newest[1][:limit]

    def _rows(self, query: str, bindings: tuple[object, ...]) -> list[Job]:
        with self._lock, translated(self._name):
            return [Job(*row) for row in self._connection.execute(query, bindings)]

    def get(self, key: str) -> str | None:
        with self._lock, translated(self._name):
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            return str(row[0]) if row else None

    def set(self, key: str, value: str) -> None:
        with self._write():
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def close(self) -> None:
        with self._lock:
            let_go(self._connection)


def readable(path: Path) -> bool:
    """Whether the file can be opened and read at all."""
    try:
        connection = open_database(path, write=False)
        with translated(path.name):
            connection.execute("SELECT count(*) FROM jobs").fetchall()
        connection.close()
    except (Failure, apsw.Error):
        return False
    return True
