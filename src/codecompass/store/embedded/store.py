"""EmbeddedStore: the directory of one project.

<directory>/index.db      derived: blobs, facts, views       text/   derived: Tantivy
            history.db    derived: what commits did
            records.db    owned: jobs and records            lock    who writes
            portable/     derived: a view as one file for any SQLite
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.connect import check_schema, open_database, translated
from codecompass.store.embedded.history import EmbeddedHistory
from codecompass.store.embedded.lock import WriterLock, is_locked, read_owner
from codecompass.store.embedded.records import EmbeddedRecords
from codecompass.store.embedded.schema import INDEX_VERSION
from codecompass.store.embedded.snapshot import EmbeddedSnapshot, Shared
from codecompass.store.embedded.writer import EmbeddedWriter
from codecompass.store.portable.reader import PortableIndex
from codecompass.store.ports import Owner, StoreState

_PIN_TRIES = 5
_IDLE_CONNECTIONS = 2


class EmbeddedStore:
    """Readers share connections and caches; a writer is made on demand and holds the lock."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.records = EmbeddedRecords(directory / "records.db")
        self.history = EmbeddedHistory(directory / "history.db")
        self.portable = PortableIndex(directory / "portable")
        self._database = directory / "index.db"
        self._text = directory / "text"
        self._lock_path = directory / "lock"
        self._shared = Shared(self._text)
        self._idle: list[apsw.Connection] = []
        self._idle_lock = Lock()
        self._inode = 0

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def pin(self) -> Iterator[EmbeddedSnapshot]:
        """A snapshot of the newest published generation."""
        connection, inode = self._borrow()
        healthy = False
        try:
            snapshot = self._snapshot(connection)
            yield snapshot
            healthy = True
        finally:
            self._give_back(connection, inode, keep=healthy)

    def _snapshot(self, connection: apsw.Connection) -> EmbeddedSnapshot:
        """Pin and open; a generation swept between the two is no damage, the next one is there."""
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
            other = open_database(self._database, write=False)
            theirs = other.execute(query).fetchall()
            other.close()
        return mine != theirs

    def _borrow(self) -> tuple[apsw.Connection, int]:
        """An idle connection or a new one; those to a file that was replaced since (a rebuild) are let go."""
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
        return open_database(self._database, write=False), current

    def _give_back(self, connection: apsw.Connection, inode: int, *, keep: bool) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._idle_lock:
            if keep and inode == self._inode and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()

    def _close_idle(self) -> None:
        with self._idle_lock:
            self._close_all()

    def _close_all(self) -> None:
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    def state(self) -> StoreState:
        """Open the index for real and say what is found."""
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
        """Read every page and every text file against its checksum; one line per damage."""
        damage = []
        self._shared.verified.clear()
        self._shared.text_generation = -1
        try:
            with self.pin() as snapshot, translated(self._database.name):
                snapshot.check_pages()
        except Failure as failure:
            if failure.code != "NO_INDEX":
                damage.append(failure.message)
        return damage

    # -- writing ---------------------------------------------------------------------------------------------------

    def writer(self, owner: Owner, *, fresh: bool = False) -> EmbeddedWriter:
        """Take the lock; with `fresh`, begin with an empty index (only derived data goes)."""
        lock = WriterLock(self._lock_path, owner)
        try:
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
        """Who writes now, if anybody."""
        return read_owner(self._lock_path) if is_locked(self._lock_path) else None

    def size(self) -> int:
        """Bytes on disk; a file linked into a generation counts once."""
        seen: dict[int, int] = {}
        for path in self.directory.rglob("*"):
            try:
                info = path.stat()
            except FileNotFoundError:
                continue
            if path.is_file():
                seen[info.st_ino] = info.st_size
        return sum(seen.values())

    def close(self) -> None:
        self._close_idle()
        self.portable.close()
        self.history.close()
        self.records.close()
