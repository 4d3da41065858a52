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
from codecompass.model.states import parse_schema_state
from codecompass.store.embedded.catalog.catalog_snapshot import EmbeddedSnapshot
from codecompass.store.embedded.catalog.index_writer import EmbeddedWriter
from codecompass.store.embedded.catalog.snapshot_caches import SnapshotCaches
from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.history_database import EmbeddedHistoryStore
from codecompass.store.embedded.databases.memory_database import EmbeddedMemoryCache
from codecompass.store.embedded.databases.memory_records import EmbeddedMemoryRecords
from codecompass.store.embedded.databases.readonly_open import check_unchanged, is_shared, open_reader
from codecompass.store.embedded.databases.records_database import EmbeddedRecords
from codecompass.store.embedded.databases.sqlite_connection import check_schema, close_quietly, map_sqlite_errors
from codecompass.store.embedded.files.directory_maintenance import EmbeddedMaintenance
from codecompass.store.embedded.files.in_use_lock import InUseLock
from codecompass.store.embedded.files.index_swap import finish_swap, is_swap_pending
from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked, read_owner
from codecompass.store.embedded.vectors.vector_extension import package_extension, trial_command
from codecompass.store.embedded.vectors.vector_file import LazyVectors
from codecompass.store.embedded.vectors.vector_writer import EmbeddedVectorWriter
from codecompass.store.portable.portable_reader import PortableIndex
from codecompass.store.ports import Owner, StoreState

_PIN_TRIES = 5
_IDLE_CONNECTIONS = 2
_SWAP_WAIT_SECONDS = 5.0
"""How long a read waits while another process swaps in a new index."""


class EmbeddedStore:
    """The store of one project. Readers share connections and caches; a writer is opened on demand and locks it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.records = EmbeddedRecords(directory / "records.db")
        self.history = EmbeddedHistoryStore(directory / "history.db")
        self.memory_cache = EmbeddedMemoryCache(directory / "memory.db")
        self.memory_records = EmbeddedMemoryRecords(self.records)
        self.portable = PortableIndex(directory / "portable")
        self._database = directory / "index.db"
        self._text = directory / "text"
        self._lock_path = directory / "lock"
        self.vectors = LazyVectors(directory / "vectors.db", self._store_id, EmbeddedVectorWriter)
        self._shared = SnapshotCaches(self._text, self.vectors)
        self._idle: list[apsw.Connection] = []
        self._idle_lock = Lock()
        self._inode = 0
        self._in_use = InUseLock(directory)
        self.maintenance = EmbeddedMaintenance(self, self._in_use)

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def pin(self) -> Iterator[EmbeddedSnapshot]:
        """Open a snapshot of the newest published generation."""
        self._in_use.record_use()
        connection, inode = self._take_connection()
        healthy = False
        try:
            snapshot = self._snapshot(connection)
            yield snapshot
            check_unchanged(connection)
            healthy = is_shared(connection)
        finally:
            self._return_connection(connection, inode, keep=healthy)

    def _snapshot(self, connection: apsw.Connection) -> EmbeddedSnapshot:
        """Pin and open a snapshot; retry if the generation was swept in between, since a newer one exists."""
        for attempt in range(_PIN_TRIES):
            with map_sqlite_errors(self._database.name):
                connection.execute("BEGIN")
                check_schema(int(connection.pragma("user_version")))
            try:
                snapshot = EmbeddedSnapshot(connection, self._database.name, self._shared)
            except Failure:
                if attempt == _PIN_TRIES - 1 or not self._has_newer_text(connection):
                    raise
                connection.execute("ROLLBACK")
                continue
            if snapshot.generation == 0:
                raise Failure("NO_INDEX", "Nothing has been published yet.")
            return snapshot
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _has_newer_text(self, connection: apsw.Connection) -> bool:
        query = "SELECT value FROM meta WHERE key = 'text_generation'"
        with map_sqlite_errors(self._database.name):
            mine = connection.execute(query).fetchall()
            other = open_reader(self._database)
            theirs = other.execute(query).fetchall()
            close_quietly(other)
        return mine != theirs

    def _take_connection(self) -> tuple[apsw.Connection, int]:
        """Return an idle connection or a new one; close those to a file that was replaced by a rebuild."""
        if is_swap_pending(self.directory):
            self._finish_swap()
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

    def _finish_swap(self) -> None:
        """Wait for a process that swaps in an index; finish the swap if that process died."""
        deadline = time.monotonic() + _SWAP_WAIT_SECONDS
        owner = Owner(os.getpid(), "", "settle")
        while is_swap_pending(self.directory) and time.monotonic() < deadline:
            try:
                lock = WriterLock(self._lock_path, owner)
            except Failure:
                time.sleep(0.01)
                continue
            try:
                finish_swap(self.directory)
            finally:
                lock.close()

    def _return_connection(self, connection: apsw.Connection, inode: int, *, keep: bool) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._idle_lock:
            if keep and inode == self._inode and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        close_quietly(connection)

    def _close_idle(self) -> None:
        with self._idle_lock:
            self._close_all()

    def _close_all(self) -> None:
        for connection in self._idle:
            close_quietly(connection)
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
            status = parse_schema_state(failure.details.get("schema_status"), "corrupt_manifest")
            return StoreState(status, 0, INDEX_VERSION, message=failure.message, details=failure.details)

    def verify(self) -> list[str]:
        """Verify every page and every text file; return one line per damage."""
        damage = []
        self._shared.verified.clear()
        self._shared.text_generation = -1
        try:
            with self.pin() as snapshot, map_sqlite_errors(self._database.name):
                snapshot.check_pages()
        except Failure as failure:
            if failure.code != "NO_INDEX":
                damage.append(failure.message)
        return [*damage, *self.vectors.find_damage()]

    # -- writing ---------------------------------------------------------------------------------------------------

    def open_writer(self, owner: Owner, *, fresh: bool = False) -> EmbeddedWriter:
        """Take the lock and open a writer; with `fresh`, start with an empty index (only derived data is deleted)."""
        lock = WriterLock(self._lock_path, owner)
        try:
            finish_swap(self.directory)
            if fresh:
                self._delete_index()
            return EmbeddedWriter(self._database, self._text, lock)
        except BaseException:
            lock.close()
            raise

    @contextmanager
    def open_copy(self, directory: Path) -> Iterator["EmbeddedStore"]:
        """Open a copy of this store in another directory."""
        copy = EmbeddedStore(directory)
        try:
            yield copy
        finally:
            copy.close()

    def _delete_index(self) -> None:
        self._close_idle()
        for name in ("index.db", "index.db-wal", "index.db-shm"):
            (self.directory / name).unlink(missing_ok=True)
        shutil.rmtree(self._text, ignore_errors=True)

    def get_active_writer(self) -> Owner | None:
        """Return the process that holds the writer lock, if any."""
        return read_owner(self._lock_path) if is_locked(self._lock_path) else None

    def drop_caches(self) -> None:
        with self._shared.lock:
            self._shared.clear()

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

    def close_files(self) -> None:
        """Close every derived file, so that it can be removed; the next use opens it again."""
        self._close_idle()
        self.portable.close()
        self.vectors.close()
        self.history.close()
        self.memory_cache.close()

    def packaged_extension(self) -> str:
        """Return the path of the packaged vector extension."""
        return package_extension()

    def trial_command(self, path: str, sha256: str, encoding: str) -> list[str]:
        """Return the command of a sandboxed process that loads and tests a library with that hash."""
        return trial_command(path, sha256, encoding)

    def close(self) -> None:
        self._in_use.close()
        self._close_idle()
        self.portable.close()
        self.vectors.close()
        self.history.close()
        self.memory_cache.close()
        self.records.close()
