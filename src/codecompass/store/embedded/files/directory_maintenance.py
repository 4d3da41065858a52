"""Directory maintenance: removal of derived data, damage checks, compaction, and export and import of bundles."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from codecompass.errors import Failure
from codecompass.store.embedded.catalog.catalog_snapshot import EmbeddedSnapshot
from codecompass.store.embedded.catalog.view_names import read_view_names
from codecompass.store.embedded.databases.database_compaction import check_free_space, rewrite
from codecompass.store.embedded.databases.database_schema import VECTORS_VERSION
from codecompass.store.embedded.databases.readonly_open import open_reader
from codecompass.store.embedded.databases.sqlite_connection import close_quietly, map_sqlite_errors, open_database
from codecompass.store.embedded.files import bundle_file, index_swap
from codecompass.store.embedded.files.bundle_file import ProgressCallback
from codecompass.store.embedded.files.in_use_lock import InUseLock
from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked
from codecompass.store.embedded.vectors.vector_export import export_vectors
from codecompass.store.portable_port import BundleManifest, CompactionResult, ImportedBundle
from codecompass.store.ports import IndexWriter, Owner, Snapshot

DERIVED = ("index.db", "text", "history.db", "memory.db", "vectors.db", "portable", "incoming", "job.log")
"""The names of all derived files; nothing else is ever removed."""
DATABASES = ("index.db", "records.db", "history.db", "memory.db", "vectors.db", "portable/index.sqlite")
CACHES = ("history.db", "memory.db")
CATALOG = "index.db"
"""The catalog, from which other data is rebuilt; damage in it requires a new index."""
VECTORS = "vectors.db"
OTHER_LOCKS = ("vectors.lock", "portable/lock")
SIDE_FILE_SUFFIXES = ("", "-wal", "-shm", ".bak")
BACKUP = ".bak"
_OUTGOING = ".outgoing-"


class MaintainedStore(Protocol):
    """The interface of a store that its maintenance needs."""

    directory: Path

    def pin(self) -> AbstractContextManager[EmbeddedSnapshot]: ...

    def open_writer(self, owner: Owner, *, fresh: bool = False) -> IndexWriter: ...

    def close_files(self) -> None:
        """Close every derived file, so that it can be removed; the next use opens it again."""

    def open_copy(self, directory: Path) -> AbstractContextManager["MaintainedStore"]:
        """Open a copy of this store in another directory."""


class EmbeddedMaintenance:
    """Maintenance of one project's directory. Every change is made under the writer lock."""

    def __init__(self, store: MaintainedStore, mark: InUseLock) -> None:
        self._store = store
        self._directory = store.directory
        self._in_use = mark

    def list_derived_files(self) -> tuple[Path, ...]:
        """Return the derived files that exist now."""
        names = (self._directory / f"{name}{side}" for name in DERIVED for side in SIDE_FILE_SUFFIXES)
        return tuple(path for path in names if path.exists() or path.is_symlink())

    # -- sweeping --------------------------------------------------------------------------------------------------

    def delete_derived(self, owner: Owner, *, exclusive: bool, dry_run: bool = False) -> None:
        """Remove derived data; INDEX_IN_PROGRESS if it is being written or, in exclusive mode, is open elsewhere."""
        with self._hold_writer_lock(owner):
            if any(is_locked(self._directory / name) for name in OTHER_LOCKS):
                raise Failure("INDEX_IN_PROGRESS", "Another process is writing data of this project.")
            with self._in_use.hold_exclusively() if exclusive else nullcontext():
                if not dry_run:
                    self._delete_derived()

    def _delete_derived(self) -> None:
        self._store.close_files()
        # Remove the catalog first: without it the rest is not read.
        for path in self.list_derived_files():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    # -- reading everything ----------------------------------------------------------------------------------------

    def check_databases(self) -> dict[str, str]:
        """Verify each page of each database, and run SQLite's integrity check; return file → damage."""
        found = {}
        for name in DATABASES:
            path = self._directory / name
            if path.exists():
                try:
                    found[name] = _find_damage(path)
                except Failure as failure:
                    found[name] = failure.message
        return found

    def drop_damaged(self) -> bool:
        """Delete damaged caches and vectors, which are rebuilt; return whether the catalog is damaged."""
        wanted = (*CACHES, VECTORS, CATALOG)
        read = {name: _find_damage(path) for name in wanted if (path := self._directory / name).exists()}
        caches = [name for name in (*CACHES, VECTORS) if read.get(name)]
        if caches:
            self._store.close_files()
        for name in caches:
            for suffix in SIDE_FILE_SUFFIXES:
                (self._directory / f"{name}{suffix}").unlink(missing_ok=True)
        return bool(read.get(CATALOG))

    def list_view_names(self) -> tuple[str, ...]:
        """Return the names of all views, even if the text index is damaged; Failure if the catalog cannot be read."""
        return read_view_names(self._directory / CATALOG)

    # -- compacting ------------------------------------------------------------------------------------------------

    def compact_catalog(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> CompactionResult:
        """Rewrite the catalog without free pages; readers continue with the old file until their call ends."""
        database = self._directory / index_swap.DATABASE
        if not database.exists():
            raise Failure("NO_INDEX", "The project has not been indexed yet.")
        with self._hold_writer_lock(owner):
            before = database.stat().st_size
            check_free_space(self._directory, before)
            staged = index_swap.create_staging(self._directory)
            try:
                connection = open_database(database, write=True)
                try:
                    with map_sqlite_errors(database.name):
                        connection.pragma("wal_checkpoint", "truncate")
                    count = rewrite(connection, staged / database.name, database.name, check)
                finally:
                    close_quietly(connection)
                _make_ready(staged / database.name)
                backup = database.with_name(database.name + BACKUP) if keep_backup else None
                if backup is not None:
                    backup.unlink(missing_ok=True)
                    os.link(database, backup)
                index_swap.swap_in(self._directory, staged)
            finally:
                shutil.rmtree(staged, ignore_errors=True)
            return CompactionResult(database, before, database.stat().st_size, count, backup)

    def compact_text(self, owner: Owner) -> CompactionResult:
        """Repair the text index and rewrite it without unreferenced documents; readers continue with the old files."""
        text = self._directory / index_swap.TEXT
        if not (self._directory / index_swap.DATABASE).exists():
            raise Failure("NO_INDEX", "The project has not been indexed yet.")
        before = _measure_directory(text)
        writer = self._store.open_writer(owner)
        try:
            writer.repair()
            writer.vacuum_text(thorough=True)
        finally:
            writer.close()
        with self._store.pin() as snapshot:
            found = snapshot.text_agreement()
        return CompactionResult(text, before, _measure_directory(text), found.documents if found else 0, None)

    # -- bundles ---------------------------------------------------------------------------------------------------

    def export_bundle(
        self, target: Path, describe: Callable[[Snapshot], Mapping[str, Any]], step: ProgressCallback
    ) -> BundleManifest:
        """Export the newest generation. Concurrent writers are neither blocked nor visible."""
        staged = self._directory / f"{_OUTGOING}{os.getpid()}"
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(mode=0o700)
        try:
            with self._store.pin() as snapshot:
                facts = describe(snapshot)
                bundle_file.copy_generation(
                    snapshot.connection, self._directory / index_swap.TEXT, staged, facts["view"], step
                )
                vectors = export_vectors(self._directory / index_swap.VECTORS, staged, snapshot.store_id)
            self._purge_copy(staged, step)
            if vectors is not None:
                facts = {**facts, "model": vectors.model, "vectors": vectors.files, "vectors_version": VECTORS_VERSION}
            name = str(facts["view"])
            shown = bundle_file.LIVE_VIEW if name.startswith(bundle_file.LIVE_VIEW) else name
            return bundle_file.write_bundle(staged, target, {**facts, "view": shown}, step)
        finally:
            shutil.rmtree(staged, ignore_errors=True)

    def _purge_copy(self, staged: Path, step: ProgressCallback) -> None:
        """Remove from a copy what no exported view refers to: contents of other working trees and of deleted files."""
        owner = Owner(os.getpid(), "", "export")
        bundle_file.restore_text_layout(staged)
        with self._store.open_copy(staged) as copy:
            writer = copy.open_writer(owner)
            try:
                writer.vacuum_text(thorough=True, purge=True)
            finally:
                writer.close()
            maintenance = EmbeddedMaintenance(copy, InUseLock(staged))
            maintenance.compact_catalog(owner, lambda: step("compact", 0, 0), keep_backup=False)
        bundle_file.flatten_text(staged)

    def import_bundle(
        self, source: Path, owner: Owner, view: str, accept: Callable[[BundleManifest], str], step: ProgressCallback
    ) -> ImportedBundle:
        """Import a bundle: unpack it, verify it, and only then swap it in."""
        with self._hold_writer_lock(owner):
            staged = index_swap.create_staging(self._directory)
            try:
                with _open_bundle(source) as file:
                    received = bundle_file.read_bundle(file, staged, accept, step)
                step("check", 0, 0)
                bundle_file.adopt(staged, received.manifest, view, self._current_generation())
                index_swap.swap_in(self._directory, staged)
            finally:
                shutil.rmtree(staged, ignore_errors=True)
            return received

    def _current_generation(self) -> int:
        try:
            with self._store.pin() as snapshot:
                return snapshot.generation
        except Failure:
            # No readable index, so no reader has seen a generation of it.
            return 0

    @contextmanager
    def _hold_writer_lock(self, owner: Owner) -> Iterator[None]:
        lock = WriterLock(self._directory / "lock", owner)
        try:
            index_swap.finish_swap(self._directory)
            yield
        finally:
            lock.close()


def _measure_directory(directory: Path) -> int:
    """Return the bytes of all files; a file with several hard links counts once."""
    found = [path.stat() for path in directory.rglob("*") if path.is_file()]
    return sum({info.st_ino: info.st_size for info in found}.values())


def _make_ready(path: Path) -> None:
    """Set the journal mode of a copy to WAL, so that readers can continue during writes."""
    connection = open_database(path, write=True)
    with map_sqlite_errors(path.name):
        connection.pragma("journal_mode", "wal")
        connection.close()


def _find_damage(path: Path) -> str:
    try:
        connection = open_reader(path)
        try:
            with map_sqlite_errors(path.name):
                result = str(connection.pragma("integrity_check"))
        finally:
            close_quietly(connection)
    except Failure as failure:
        if failure.code != "INDEX_INCOMPATIBLE":
            # Too few file handles or a failing disk does not mean that the file is damaged.
            raise
        return failure.message
    return "" if result == "ok" else f"{path.name} is damaged: {result[:200]}"


@contextmanager
def _open_bundle(path: Path) -> Iterator[Any]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"{path.name} cannot be read: {error.strerror}.") from error
    with file:
        yield file
