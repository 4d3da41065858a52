"""Upkeep of one project's directory: sweeping what is derived, compacting the catalog, bundles out and in."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from codecompass.errors import Failure
from codecompass.store.embedded import bundle, placement
from codecompass.store.embedded.bundle import Step
from codecompass.store.embedded.compaction import check_room, rewrite
from codecompass.store.embedded.connect import let_go, open_database, translated
from codecompass.store.embedded.lock import WriterLock, is_locked
from codecompass.store.embedded.reading import open_reader
from codecompass.store.embedded.schema import VECTORS_VERSION
from codecompass.store.embedded.snapshot import EmbeddedSnapshot
from codecompass.store.embedded.usage import UseMark
from codecompass.store.embedded.vectorcargo import load
from codecompass.store.exchange import Manifest, Received, Rewritten
from codecompass.store.ports import IndexWriter, Owner, Snapshot

DERIVED = ("index.db", "text", "history.db", "memory.db", "vectors.db", "portable", "incoming", "job.log")
"""Everything that may be removed, by name: what is not here stays, whoever put it there."""
DATABASES = ("index.db", "records.db", "history.db", "memory.db", "vectors.db", "portable/index.sqlite")
CACHES = ("history.db", "memory.db")
CATALOG = "index.db"
"""What everything else is made again from; damage in it means a new index."""
VECTORS = "vectors.db"
OTHER_LOCKS = ("vectors.lock", "portable/lock")
SIDES = ("", "-wal", "-shm", ".bak")
BACKUP = ".bak"
_OUTGOING = ".outgoing-"


class Held(Protocol):
    """What the upkeep needs of the store it belongs to."""

    directory: Path

    def pin(self) -> AbstractContextManager[EmbeddedSnapshot]: ...

    def writer(self, owner: Owner, *, fresh: bool = False) -> IndexWriter: ...

    def let_go(self) -> None:
        """Close every file that is open and may be removed; what is asked next is opened again."""


class EmbeddedUpkeep:
    """Each of these takes the lock of the writer while it changes anything."""

    def __init__(self, store: Held, mark: UseMark) -> None:
        self._store = store
        self._directory = store.directory
        self._mark = mark

    def derived_files(self) -> tuple[Path, ...]:
        """What could be removed, as it stands."""
        names = (self._directory / f"{name}{side}" for name in DERIVED for side in SIDES)
        return tuple(path for path in names if path.exists() or path.is_symlink())

    # -- sweeping --------------------------------------------------------------------------------------------------

    def clear(self, owner: Owner, *, alone: bool, rehearse: bool = False) -> None:
        """Remove what is derived; INDEX_IN_PROGRESS while somebody writes or, with `alone`, has the project open."""
        with self._locked(owner):
            if any(is_locked(self._directory / name) for name in OTHER_LOCKS):
                raise Failure("INDEX_IN_PROGRESS", "Another process adds to what is kept for this project.")
            with self._mark.alone() if alone else nullcontext():
                if not rehearse:
                    self._clear()

    def _clear(self) -> None:
        self._store.let_go()
        # The catalog goes first: without it nobody asks for the rest.
        for path in self.derived_files():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    # -- reading everything ----------------------------------------------------------------------------------------

    def read_all(self) -> dict[str, str]:
        """Each page of each database against its checksum, and its structure against SQLite's rules."""
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
        """Drop damaged caches and vectors, which are made again; whether the catalog itself is damaged."""
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
        """Write the catalog anew without its free pages; readers go on with the old file until their call ends."""
        database = self._directory / placement.DATABASE
        if not database.exists():
            raise Failure("NO_INDEX", "The project has not been indexed yet.")
        with self._locked(owner):
            before = database.stat().st_size
            check_room(self._directory, before)
            made = placement.staging(self._directory)
            try:
                connection = open_database(database, write=True)
                try:
                    with translated(database.name):
                        connection.pragma("wal_checkpoint", "truncate")
                    count = rewrite(connection, made / database.name, database.name, check)
                finally:
                    let_go(connection)
                _make_ready(made / database.name)
                backup = database.with_name(database.name + BACKUP) if keep_backup else None
                if backup is not None:
                    backup.unlink(missing_ok=True)
                    os.link(database, backup)
                placement.place(self._directory, made)
            finally:
                shutil.rmtree(made, ignore_errors=True)
            return Rewritten(database, before, database.stat().st_size, count, backup)

    def compact_text(self, owner: Owner) -> Rewritten:
        """Mend the text index and write it anew without what no view holds; readers go on with the old files."""
        text = self._directory / placement.TEXT
        if not (self._directory / placement.DATABASE).exists():
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
        """Write the newest generation out; whoever writes meanwhile is neither held up nor seen."""
        made = self._directory / f"{_OUTGOING}{os.getpid()}"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(mode=0o700)
        try:
            with self._store.pin() as snapshot:
                facts = describe(snapshot)
                bundle.collect(snapshot.connection, self._directory / placement.TEXT, made, facts["view"], step)
                cargo = load(self._directory / placement.VECTORS, made, snapshot.store_id)
            if cargo is not None:
                facts = {**facts, "model": cargo.model, "vectors": cargo.files, "vectors_version": VECTORS_VERSION}
            name = str(facts["view"])
            shown = bundle.LIVE if name.startswith(bundle.LIVE) else name
            return bundle.pack(made, target, {**facts, "view": shown}, step)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def receive(
        self, source: Path, owner: Owner, view: str, accept: Callable[[Manifest], str], step: Step
    ) -> Received:
        """Begin from a bundle: read, checked, and only then put in the place of what is here."""
        with self._locked(owner):
            made = placement.staging(self._directory)
            try:
                with _opened(source) as file:
                    received = bundle.unpack(file, made, accept, step)
                step("check", 0, 0)
                bundle.adopt(made, received.manifest, view, self._generation())
                placement.place(self._directory, made)
            finally:
                shutil.rmtree(made, ignore_errors=True)
            return received

    def _generation(self) -> int:
        try:
            with self._store.pin() as snapshot:
                return snapshot.generation
        except Failure:
            # Nothing here, or nothing that can be read: then nobody remembers a generation of it.
            return 0

    @contextmanager
    def _locked(self, owner: Owner) -> Iterator[None]:
        lock = WriterLock(self._directory / "lock", owner)
        try:
            placement.settle(self._directory)
            yield
        finally:
            lock.close()


def _bytes_in(directory: Path) -> int:
    """What its files take; one that is linked counts once."""
    found = [path.stat() for path in directory.rglob("*") if path.is_file()]
    return sum({info.st_ino: info.st_size for info in found}.values())


def _make_ready(path: Path) -> None:
    """A copy has no journal of its own kind; ours is the one that lets readers go on while a writer writes."""
    connection = open_database(path, write=True)
    with translated(path.name):
        connection.pragma("journal_mode", "wal")
        connection.close()


def _damage(path: Path) -> str:
    try:
        connection = open_reader(path)
        try:
            with translated(path.name):
                said = str(connection.pragma("integrity_check"))
        finally:
            let_go(connection)
    except Failure as failure:
        if failure.code != "INDEX_INCOMPATIBLE":
            # Too few file handles or a failing disk says nothing of what the file holds.
            raise
        return failure.message
    return "" if said == "ok" else f"{path.name} is damaged: {said[:200]}"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"{path.name} cannot be read: {error.strerror}.") from error
    with file:
        yield file
