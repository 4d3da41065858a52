"""Directory maintenance: removal of derived data, damage checks, compaction, and export and import of bundles."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from codecompass.errors import Failure
from codecompass.store.embedded.catalog.catalog_snapshot import EmbeddedSnapshot
from codecompass.store.embedded.databases.database_compaction import check_room, rewrite
from codecompass.store.embedded.databases.database_schema import VECTORS_VERSION
from codecompass.store.embedded.databases.readonly_open import open_reader
from codecompass.store.embedded.databases.sqlite_connection import let_go, open_database, translated
from codecompass.store.embedded.files import bundle_file, index_swap
from codecompass.store.embedded.files.bundle_file import Step
from codecompass.store.embedded.files.in_use_lock import UseMark
from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked
from codecompass.store.embedded.vectors.vector_export import load
from codecompass.store.portable_port import Manifest, Received, Rewritten
from codecompass.store.ports import IndexWriter, Owner, Snapshot

DERIVED = ("index.db", "text", "history.db", "memory.db", "vectors.db", "portable", "incoming", "job.log")
"""The names of all derived files; nothing else is ever removed."""
DATABASES = ("index.db", "records.db", "history.db", "memory.db", "vectors.db", "portable/index.sqlite")
CACHES = ("history.db", "memory.db")
CATALOG = "index.db"
"""The catalog, from which other data is rebuilt; damage in it requires a new index."""
VECTORS = "vectors.db"
OTHER_LOCKS = ("vectors.lock", "portable/lock")
SIDES = ("", "-wal", "-shm", ".bak")
BACKUP = ".bak"
_OUTGOING = ".outgoing-"


class Held(Protocol):
    """The interface of a store that its maintenance needs."""

    directory: Path

    def pin(self) -> AbstractContextManager[EmbeddedSnapshot]: ...

    def writer(self, owner: Owner, *, fresh: bool = False) -> IndexWriter: ...

    def let_go(self) -> None:
        """Close every derived file, so that it can be removed; the next use opens it again."""


class EmbeddedUpkeep:
    """Maintenance of one project's directory. Every change is made under the writer lock."""

    def __init__(self, store: Held, mark: UseMark) -> None:
        self._store = store
        self._directory = store.directory
        self._mark = mark

    def derived_files(self) -> tuple[Path, ...]:
        """Return the derived files that exist now."""
        names = (self._directory / f"{name}{side}" for name in DERIVED for side in SIDES)
        return tuple(path for path in names if path.exists() or path.is_symlink())

    # -- sweeping --------------------------------------------------------------------------------------------------

    def clear(self, owner: Owner, *, alone: bool, rehearse: bool = False) -> None:
        """Remove derived data; INDEX_IN_PROGRESS if it is being written or, in exclusive mode, is open elsewhere."""
        with self._locked(owner):
            if any(is_locked(self._directory / name) for name in OTHER_LOCKS):
                raise Failure("INDEX_IN_PROGRESS", "Another process is writing data of this project.")
            with self._mark.alone() if alone else nullcontext():
                if not rehearse:
                    self._clear()

    def _clear(self) -> None:
        self._store.let_go()
        # Remove the catalog first: without it the rest is not read.
        for path in self.derived_files():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    # -- reading everything ----------------------------------------------------------------------------------------

    def read_all(self) -> dict[str, str]:
        """Verify each page of each database, and run SQLite's integrity check; return file → damage."""
        found = {}
        for name in DATABASES:
            path = self._directory / name
            if path.exists():
                try:
                    found[name] = _damage(path)
                except Failure as failure:
                    found[name] = failure.message
        return found

    def heal(self) -> bool:
        """Delete damaged caches and vectors, which are rebuilt; return whether the catalog is damaged."""
        wanted = (*CACHES, VECTORS, CATALOG)
        read = {name: _damage(path) for name in wanted if (path := self._directory / name).exists()}
        caches = [name for name in (*CACHES, VECTORS) if read.get(name)]
        if caches:
            self._store.let_go()
        for name in caches:
            for suffix in SIDES:
                (self._directory / f"{name}{suffix}").unlink(missing_ok=True)
        return bool(read.get(CATALOG))

    # -- compacting ------------------------------------------------------------------------------------------------

    def compact(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> Rewritten:
        """Rewrite the catalog without free pages; readers continue with the old file until their call ends."""
        database = self._directory / index_swap.DATABASE
        if not database.exists():
            raise Failure("NO_INDEX", "The project has not been indexed yet.")
        with self._locked(owner):
            before = database.stat().st_size
            check_room(self._directory, before)
            staged = index_swap.staging(self._directory)
            try:
                connection = open_database(database, write=True)
                try:
                    with translated(database.name):
                        connection.pragma("wal_checkpoint", "truncate")
                    count = rewrite(connection, staged / database.name, database.name, check)
                finally:
                    let_go(connection)
                _make_ready(staged / database.name)
                backup = database.with_name(database.name + BACKUP) if keep_backup else None
                if backup is not None:
                    backup.unlink(missing_ok=True)
                    os.link(database, backup)
                index_swap.place(self._directory, staged)
            finally:
                shutil.rmtree(staged, ignore_errors=True)
            return Rewritten(database, before, database.stat().st_size, count, backup)

    def compact_text(self, owner: Owner) -> Rewritten:
        """Repair the text index and rewrite it without unreferenced documents; readers continue with the old files."""
        text = self._directory / index_swap.TEXT
        if not (self._directory / index_swap.DATABASE).exists():
            raise Failure("NO_INDEX", "The project has not been indexed yet.")
        before = _bytes_in(text)
        writer = self._store.writer(owner)
        try:
            writer.repair()
            writer.tidy(thorough=True)
        finally:
            writer.close()
        with self._store.pin() as snapshot:
            found = snapshot.text_agreement()
        return Rewritten(text, before, _bytes_in(text), found.documents if found else 0, None)

    # -- bundles ---------------------------------------------------------------------------------------------------

    def export(self, target: Path, describe: Callable[[Snapshot], Mapping[str, Any]], step: Step) -> Manifest:
        """Export the newest generation. Concurrent writers are neither blocked nor visible."""
        staged = self._directory / f"{_OUTGOING}{os.getpid()}"
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(mode=0o700)
        try:
            with self._store.pin() as snapshot:
                facts = describe(snapshot)
                bundle_file.collect(snapshot.connection, self._directory / index_swap.TEXT, staged, facts["view"], step)
                vectors = load(self._directory / index_swap.VECTORS, staged, snapshot.store_id)
            if vectors is not None:
                facts = {**facts, "model": vectors.model, "vectors": vectors.files, "vectors_version": VECTORS_VERSION}
            name = str(facts["view"])
            shown = bundle_file.LIVE if name.startswith(bundle_file.LIVE) else name
            return bundle_file.pack(staged, target, {**facts, "view": shown}, step)
        finally:
            shutil.rmtree(staged, ignore_errors=True)

    def receive(self, source: Path, owner: Owner, view: str, accept: Callable[[Manifest], str], step: Step) -> Received:
        """Import a bundle: unpack it, verify it, and only then swap it in."""
        with self._locked(owner):
            staged = index_swap.staging(self._directory)
            try:
                with _opened(source) as file:
                    received = bundle_file.unpack(file, staged, accept, step)
                step("check", 0, 0)
                bundle_file.adopt(staged, received.manifest, view, self._generation())
                index_swap.place(self._directory, staged)
            finally:
                shutil.rmtree(staged, ignore_errors=True)
            return received

    def _generation(self) -> int:
        try:
            with self._store.pin() as snapshot:
                return snapshot.generation
        except Failure:
            # No readable index, so no reader has seen a generation of it.
            return 0

    @contextmanager
    def _locked(self, owner: Owner) -> Iterator[None]:
        lock = WriterLock(self._directory / "lock", owner)
        try:
            index_swap.settle(self._directory)
            yield
        finally:
            lock.close()


def _bytes_in(directory: Path) -> int:
    """Return the bytes of all files; a file with several hard links counts once."""
    found = [path.stat() for path in directory.rglob("*") if path.is_file()]
    return sum({info.st_ino: info.st_size for info in found}.values())


def _make_ready(path: Path) -> None:
    """Set the journal mode of a copy to WAL, so that readers can continue during writes."""
    connection = open_database(path, write=True)
    with translated(path.name):
        connection.pragma("journal_mode", "wal")
        connection.close()


def _damage(path: Path) -> str:
    try:
        connection = open_reader(path)
        try:
            with translated(path.name):
                result = str(connection.pragma("integrity_check"))
        finally:
            let_go(connection)
    except Failure as failure:
        if failure.code != "INDEX_INCOMPATIBLE":
            # Too few file handles or a failing disk does not mean that the file is damaged.
            raise
        return failure.message
    return "" if result == "ok" else f"{path.name} is damaged: {result[:200]}"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"{path.name} cannot be read: {error.strerror}.") from error
    with file:
        yield file
