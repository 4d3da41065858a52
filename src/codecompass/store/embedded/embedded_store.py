"""Embedded store: the data directory of one project.

<directory>/index.db      derived: blobs, facts, views       text/   derived: Tantivy
            history.db    derived: git history           memory.db    derived: mined discoveries
            records.db    owned: jobs and records            lock    the writer lock
            portable/     derived: a view as one file for any SQLite
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.catalog.catalog_snapshot import EmbeddedSnapshot
from codecompass.store.embedded.catalog.index_writer import EmbeddedWriter
from codecompass.store.embedded.catalog.snapshot_caches import Shared
from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.history_database import EmbeddedHistory
from codecompass.store.embedded.databases.memory_database import EmbeddedMemory
from codecompass.store.embedded.databases.memory_records import EmbeddedRecollections
from codecompass.store.embedded.databases.readonly_open import check_unchanged, is_shared, open_reader
from codecompass.store.embedded.databases.records_database import EmbeddedRecords
from codecompass.store.embedded.databases.sqlite_connection import check_schema, let_go, translated
from codecompass.store.embedded.files.directory_maintenance import EmbeddedUpkeep
from codecompass.store.embedded.files.in_use_lock import UseMark
from codecompass.store.embedded.files.index_swap import settle, waits
from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked, read_owner
from codecompass.store.embedded.vectors.lazy_vectors import VectorDoor
from codecompass.store.embedded.vectors.vector_extension import package_extension, trial_command
from codecompass.store.portable.portable_reader import PortableIndex
from codecompass.store.ports import Owner, StoreState

_PIN_TRIES = 5
_IDLE_CONNECTIONS = 2
_PLACING_SECONDS = 5.0
"""How long a read waits while another process swaps in a new index."""


class EmbeddedStore:
    """The store of one project. Readers share connections and caches; a writer is opened on demand and locks it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.records = EmbeddedRecords(directory / "records.db")
        self.history = EmbeddedHistory(directory / "history.db")
        self.memory = EmbeddedMemory(directory / "memory.db")
        self.recollections = EmbeddedRecollections(self.records)
        self.portable = PortableIndex(directory / "portable")
        self._database = directory / "index.db"
        self._text = directory / "text"
        self._lock_path = directory / "lock"
        self.vectors = VectorDoor(directory / "vectors.db", self._store_id)
        self._shared = Shared(self._text, self.vectors)
        self._idle: list[apsw.Connection] = []
        self._idle_lock = Lock()
        self._inode = 0
        self._mark = UseMark(directory)
        self.upkeep = EmbeddedUpkeep(self, self._mark)

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def pin(self) -> Iterator[EmbeddedSnapshot]:
        """Open a snapshot of the newest published generation."""
        self._mark.note()
        connection, inode = self._borrow()
        healthy = False
        try:
            snapshot = self._snapshot(connection)
            yield snapshot
            check_unchanged(connection)
            healthy = is_shared(connection)
        finally:
            self._give_back(connection, inode, keep=healthy)

    def _snapshot(self, connection: apsw.Connection) -> EmbeddedSnapshot:
        """Pin and open a snapshot; retry if the generation was swept in between, since a newer one exists."""
        for attempt in range(_PIN_TRIES):
            with translated(self._database.name):
                connection.execute("BEGIN")
                check_schema(int(connection.pragma("user_version")))
            try:
                snapshot = EmbeddedSnapshot(connection, self._database.name, self._shared)
            except Failure:
                if attempt == _PIN_TRIES - 1 or not self._moved_on(connection):
                    raise
                connection.execute("ROLLBACK")
                continue
            if snapshot.generation == 0:
                raise Failure("NO_INDEX", "Nothing has been published yet.")
            return snapshot
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _moved_on(self, connection: apsw.Connection) -> bool:
        query = "SELECT value FROM meta WHERE key = 'text_generation'"
        with translated(self._database.name):
            mine = connection.execute(query).fetchall()
            other = open_reader(self._database)
            theirs = other.execute(query).fetchall()
            let_go(other)
        return mine != theirs

    def _borrow(self) -> tuple[apsw.Connection, int]:
        """Return an idle connection or a new one; close those to a file that was replaced by a rebuild."""
        if waits(self.directory):
            self._settle()
        try:
            current = self._database.stat().st_ino
        except FileNotFoundError:
            self._close_idle()
            raise Failure("NO_INDEX", "The project has not been indexed yet.") from None
        with self._idle_lock:
            if current != self._inode:
                self._close_all()
                self._inode = current
            if self._idle:
                return self._idle.pop(), current
        return open_reader(self._database), current

    def _settle(self) -> None:
        """Wait for a process that swaps in an index; finish the swap if that process died."""
        deadline = time.monotonic() + _PLACING_SECONDS
        owner = Owner(os.getpid(), "", "settle")
        while waits(self.directory) and time.monotonic() < deadline:
            try:
                lock = WriterLock(self._lock_path, owner)
            except Failure:
                time.sleep(0.01)
                continue
            try:
                settle(self.directory)
            finally:
                lock.close()

    def _give_back(self, connection: apsw.Connection, inode: int, *, keep: bool) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._idle_lock:
            if keep and inode == self._inode and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        let_go(connection)

    def _close_idle(self) -> None:
        with self._idle_lock:
            self._close_all()

    def _close_all(self) -> None:
        for connection in self._idle:
            let_go(connection)
        self._idle.clear()

    def _store_id(self) -> str:
        with self.pin() as snapshot:
            return snapshot.store_id

    def state(self) -> StoreState:
        """Open the index and report its state."""
        try:
            with self.pin() as snapshot:
                return StoreState("compatible", INDEX_VERSION, INDEX_VERSION, snapshot.generation)
        except Failure as failure:
            if failure.code == "NO_INDEX":
                return StoreState("not_indexed", 0, INDEX_VERSION, message=failure.message)
            if failure.code != "INDEX_INCOMPATIBLE":
                raise
            status = str(failure.details.get("schema_status", "corrupt_manifest"))
            return StoreState(status, 0, INDEX_VERSION, message=failure.message, details=failure.details)

    def verify(self) -> list[str]:
        """Verify every page and every text file; return one line per damage."""
        damage = []
        self._shared.verified.clear()
        self._shared.text_generation = -1
        try:
            with self.pin() as snapshot, translated(self._database.name):
                snapshot.check_pages()
        except Failure as failure:
            if failure.code != "NO_INDEX":
                damage.append(failure.message)
        return [*damage, *self.vectors.damage()]

    # -- writing ---------------------------------------------------------------------------------------------------

    def writer(self, owner: Owner, *, fresh: bool = False) -> EmbeddedWriter:
        """Take the lock and open a writer; with `fresh`, start with an empty index (only derived data is deleted)."""
        lock = WriterLock(self._lock_path, owner)
        try:
            settle(self.directory)
            if fresh:
                self._drop_derived()
            return EmbeddedWriter(self._database, self._text, lock)
        except BaseException:
            lock.close()
            raise

    def _drop_derived(self) -> None:
        self._close_idle()
        for name in ("index.db", "index.db-wal", "index.db-shm"):
            (self.directory / name).unlink(missing_ok=True)
        shutil.rmtree(self._text, ignore_errors=True)

    def writing(self) -> Owner | None:
        """Return the process that holds the writer lock, if any."""
        return read_owner(self._lock_path) if is_locked(self._lock_path) else None

    def drop_caches(self) -> None:
        with self._shared.lock:
            self._shared.drop()

    def size(self) -> int:
        """Return the bytes on disk; a file with several hard links counts once."""
        seen: dict[int, int] = {}
        for path in self.directory.rglob("*"):
            try:
                info = path.stat()
            except FileNotFoundError:
                continue
            if path.is_file():
                seen[info.st_ino] = info.st_size
        return sum(seen.values())

    def let_go(self) -> None:
        """Close every derived file, so that it can be removed; the next use opens it again."""
        self._close_idle()
        self.portable.close()
        self.vectors.close()
        self.history.close()
        self.memory.close()

    def packaged_extension(self) -> str:
        """Return the path of the packaged vector extension."""
        return package_extension()

    def trial_command(self, path: str, sha256: str, encoding: str) -> list[str]:
        """Return the command of a sandboxed process that loads and tests a library with that hash."""
        return trial_command(path, sha256, encoding)

    def close(self) -> None:
        self._mark.close()
        self._close_idle()
        self.portable.close()
        self.vectors.close()
        self.history.close()
        self.memory.close()
        self.records.close()
