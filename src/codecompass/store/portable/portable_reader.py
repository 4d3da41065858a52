"""Portable reader: state and connections of a portable file, and its text channel for searches."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.errors import Failure
from codecompass.store.embedded.files.writer_lock import WriterLock
from codecompass.store.portable.portable_compaction import compact
from codecompass.store.portable.portable_connection import PART, REBUILD, guarded, is_ours
from codecompass.store.portable.portable_search import About, Reading
from codecompass.store.portable.portable_writer import PortableWriter
from codecompass.store.portable_port import PortableState, Rewritten
from codecompass.store.ports import Owner, ViewRow
from codecompass.store.text_query import TextHit, TextQuery

if TYPE_CHECKING:  # numpy is loaded only where vectors are used
    from codecompass.store.embedded.vectors.vector_table import Field
    from codecompass.store.portable.portable_vectors import Shelf

IDLE_CONNECTIONS = 2


Identity = tuple[int, int, int]
"""Identifies a file: inode, size and modification time."""
_NOTHING: Identity = (0, 0, 0)


class PortableIndex:
    """The portable file of one project. Thread-safe: every search uses its own connection."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "index.sqlite"
        self._lock_path = directory / "lock"
        self._idle: list[Reading] = []
        self._lock = Lock()
        self._identity = _NOTHING
        self._shelf: tuple[tuple[str, str], Shelf] | None = None

    # -- what is there ---------------------------------------------------------------------------------------------

    def state(self) -> PortableState | None:
        """Return the file's state; None if there is no file, INDEX_INCOMPATIBLE if it cannot be used."""
        try:
            with self.reading() as reading:
                return PortableState(self.path, self.path.stat().st_size, reading.about.meta)
        except FileNotFoundError:
            return None

    def channel(self, view: Mapping[int, tuple[bytes, str]]) -> "PortableChannel":
        """Open the text channel for a view whose blobs have these (content hash, language)."""
        try:
            with self.reading():
                return PortableChannel(self, view)
        except FileNotFoundError:
            hint = "Call build_sqlite_index, or search with backend auto."
            raise Failure("NO_INDEX", "The SQLite index has not been built.", {"part": PART}, hint) from None

    def writer(self, owner: Owner, target: Path | None = None) -> PortableWriter:
        """Start a new file, by default the project's own. One at a time for each project."""
        lock = WriterLock(self._lock_path, owner)
        try:
            chosen = target or self.path
            if target is not None and target.exists() and not is_ours(target):
                message = f"{target.name} exists and is not a SQLite index of this program."
                raise Failure("INVALID_REQUEST", message, hint="Name a file that does not exist.")
        except BaseException:
            lock.close()
            raise
        return PortableWriter(chosen, lock)

    def compact(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> Rewritten | None:
        """Rewrite the file without free pages; None if there is no file."""
        if not self.path.exists():
            return None
        lock = WriterLock(self._lock_path, owner)
        try:
            return compact(self.path, check, keep_backup=keep_backup)
        finally:
            lock.close()

    # -- connections -----------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """Open a connection to the current file; FileNotFoundError if there is none."""
        reading, identity = self._borrow()
        keep = False
        try:
            yield reading
            keep = True
        finally:
            with self._lock:
                if keep and identity == self._identity and len(self._idle) < IDLE_CONNECTIONS:
                    self._idle.append(reading)
                else:
                    reading.close()

    def _borrow(self) -> tuple[Reading, Identity | None]:
        """Return an idle connection or a new one; close those to a replaced file."""
        identity = _identity(self.path)
        with self._lock:
            if identity != self._identity:
                self._let_go()
                self._identity = identity
            elif self._idle:
                return self._idle.pop(), identity
        reading = Reading(self.path)
        # If the file was replaced in between, it is unknown which one was opened, so use the connection only once.
        return reading, identity if _identity(self.path) == identity else None

    def shelf(self, reading: Reading) -> "Shelf":
        """Return the vectors of the file, loaded once until it is replaced."""
        from codecompass.store.portable.portable_vectors import read_shelf  # noqa: PLC0415 - loads numpy

        mark = str(reading.about.meta["built_at"]), str(reading.about.meta["checksum"])
        with self._lock:
            if self._shelf is not None and self._shelf[0] == mark:
                return self._shelf[1]
        try:
            with guarded(self.path.name):
                loaded = read_shelf(reading.connection, int(str(reading.about.meta["dimensions"])))
        except ValueError as error:
            message = f"{self.path.name} contains damaged vectors."
            details: dict[str, object] = {"schema_status": "corrupt_manifest", "part": PART}
            raise Failure("INDEX_INCOMPATIBLE", message, details, REBUILD) from error
        with self._lock:
            self._shelf = (mark, loaded)
        return loaded

    def _let_go(self) -> None:
        for reading in self._idle:
            reading.close()
        self._idle.clear()

    def close(self) -> None:
        with self._lock:
            self._let_go()
            self._identity, self._shelf = _NOTHING, None


def _identity(path: Path) -> Identity:
    info = path.stat()
    return info.st_ino, info.st_size, info.st_mtime_ns


@dataclass
class PortableChannel:
    """The portable file restricted to one view: only chunks of the view's blobs, with the view's blob ids."""

    index: PortableIndex
    view: Mapping[int, tuple[bytes, str]]
    """Blob of the view → content hash and language."""
    _shared: tuple[About, dict[int, int]] | None = None

    def search_text(self, query: TextQuery, view: ViewRow) -> tuple[list[TextHit], int]:
        with self.index.reading() as reading:
            shared = self._blobs(reading.about)
            found, total = reading.search(query, _chosen(query, reading.about, shared))
        return [TextHit(shared[blob], ordinal, score) for score, blob, ordinal in found if blob in shared], total

    def vectors(self, view: ViewRow, model: str) -> "Field | None":
        """Return the file's vectors of the view's blobs; None if it has none of this model."""
        with self.index.reading() as reading:
            about = reading.about
            if about.meta.get("model") != model or not about.meta.get("vectors"):
                return None
            return self.index.shelf(reading).seen(model, self._blobs(about), len(self.view))

    def _blobs(self, about: About) -> dict[int, int]:
        """Return blob of the file → blob of the view, for common blobs; the file may be replaced between two calls."""
        if self._shared is None or self._shared[0] is not about:
            own = about.blobs
            self._shared = (about, {own[key]: blob for blob, key in self.view.items() if key in own})
        return self._shared[1]


def _chosen(query: TextQuery, about: About, shared: Mapping[int, int]) -> frozenset[int] | None:
    """Return the blobs of the file to search; None for all."""
    if len(shared) == len(about.blobs) and not query.language and query.only is None:
        return None
    return frozenset(
        own
        for own, seen in shared.items()
        if (not query.language or about.languages[own] == query.language) and (query.only is None or seen in query.only)
    )
