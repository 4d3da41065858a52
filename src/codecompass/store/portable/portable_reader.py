"""Portable reader: state and connections of a portable file, and its text channel for searches."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.errors import Failure
from codecompass.store.embedded.files.writer_lock import WriterLock
from codecompass.store.portable.portable_compaction import compact_portable_file
from codecompass.store.portable.portable_connection import PART, REBUILD_HINT, is_portable_file, map_portable_errors
from codecompass.store.portable.portable_search import PortableContents, PortableReader
from codecompass.store.portable.portable_writer import PortableWriter
from codecompass.store.portable_port import CompactionResult, PortableState
from codecompass.store.ports import Owner, ViewRow
from codecompass.store.text_query import TextHit, TextQuery

if TYPE_CHECKING:  # numpy is loaded only where vectors are used
    from codecompass.store.embedded.vectors.vector_table import ViewVectors
    from codecompass.store.portable.portable_vectors import PortableVectorTable

IDLE_CONNECTIONS = 2


FileIdentity = tuple[int, int, int]
"""Identifies a file: inode, size and modification time."""
_NO_FILE: FileIdentity = (0, 0, 0)


class PortableIndex:
    """The portable file of one project. Thread-safe: every search uses its own connection."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "index.sqlite"
        self._lock_path = directory / "lock"
        self._idle: list[PortableReader] = []
        self._lock = Lock()
        self._identity = _NO_FILE
        self._vectors: tuple[tuple[str, str], PortableVectorTable] | None = None

    # -- what is there ---------------------------------------------------------------------------------------------

    def state(self) -> PortableState | None:
        """Return the file's state; None if there is no file, INDEX_INCOMPATIBLE if it cannot be used."""
        try:
            with self.open_reader() as reading:
                return PortableState(self.path, self.path.stat().st_size, reading.contents.meta)
        except FileNotFoundError:
            return None

    def open_channel(self, view: Mapping[int, tuple[bytes, str]]) -> "PortableChannel":
        """Open the text channel for a view whose blobs have these (content hash, language)."""
        try:
            with self.open_reader():
                return PortableChannel(self, view)
        except FileNotFoundError:
            hint = "Call build_sqlite_index, or search with backend auto."
            raise Failure("NO_INDEX", "The SQLite index has not been built.", {"part": PART}, hint) from None

    def open_writer(self, owner: Owner, target: Path | None = None) -> PortableWriter:
        """Start a new file, by default the project's own. One at a time for each project."""
        lock = WriterLock(self._lock_path, owner)
        try:
            chosen = target or self.path
            if target is not None and target.exists() and not is_portable_file(target):
                message = f"{target.name} exists and is not a SQLite index of this program."
                raise Failure("INVALID_REQUEST", message, hint="Name a file that does not exist.")
        except BaseException:
            lock.close()
            raise
        return PortableWriter(chosen, lock)

    def compact(self, owner: Owner, check: Callable[[], None], *, keep_backup: bool) -> CompactionResult | None:
        """Rewrite the file without free pages; None if there is no file."""
        if not self.path.exists():
            return None
        lock = WriterLock(self._lock_path, owner)
        try:
            return compact_portable_file(self.path, check, keep_backup=keep_backup)
        finally:
            lock.close()

    # -- connections -----------------------------------------------------------------------------------------------

    @contextmanager
    def open_reader(self) -> Iterator[PortableReader]:
        """Open a connection to the current file; FileNotFoundError if there is none."""
        reading, identity = self._take_reader()
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

    def _take_reader(self) -> tuple[PortableReader, FileIdentity | None]:
        """Return an idle connection or a new one; close those to a replaced file."""
        identity = _read_identity(self.path)
        with self._lock:
            if identity != self._identity:
                self._close_idle()
                self._identity = identity
            elif self._idle:
                return self._idle.pop(), identity
        reading = PortableReader(self.path)
        # If the file was replaced in between, it is unknown which one was opened, so use the connection only once.
        return reading, identity if _read_identity(self.path) == identity else None

    def vector_table(self, reading: PortableReader) -> "PortableVectorTable":
        """Return the vectors of the file, loaded once until it is replaced."""
        from codecompass.store.portable.portable_vectors import read_vector_table  # noqa: PLC0415 - loads numpy

        mark = str(reading.contents.meta["built_at"]), str(reading.contents.meta["checksum"])
        with self._lock:
            if self._vectors is not None and self._vectors[0] == mark:
                return self._vectors[1]
        try:
            with map_portable_errors(self.path.name):
                loaded = read_vector_table(reading.connection, int(str(reading.contents.meta["dimensions"])))
        except ValueError as error:
            message = f"{self.path.name} contains damaged vectors."
            details: dict[str, object] = {"schema_status": "corrupt_manifest", "part": PART}
            raise Failure("INDEX_INCOMPATIBLE", message, details, REBUILD_HINT) from error
        with self._lock:
            self._vectors = (mark, loaded)
        return loaded

    def _close_idle(self) -> None:
        for reading in self._idle:
            reading.close()
        self._idle.clear()

    def close(self) -> None:
        with self._lock:
            self._close_idle()
            self._identity, self._vectors = _NO_FILE, None


def _read_identity(path: Path) -> FileIdentity:
    info = path.stat()
    return info.st_ino, info.st_size, info.st_mtime_ns


@dataclass
class PortableChannel:
    """The portable file restricted to one view: only chunks of the view's blobs, with the view's blob ids."""

    index: PortableIndex
    view: Mapping[int, tuple[bytes, str]]
    """Blob of the view → content hash and language."""
    _shared: tuple[PortableContents, dict[int, int]] | None = None

    def search_text(self, query: TextQuery, view: ViewRow) -> tuple[list[TextHit], int]:
        with self.index.open_reader() as reading:
            shared = self._shared_blobs(reading.contents)
            found, total = reading.search(query, _allowed_blobs(query, reading.contents, shared))
        return [TextHit(shared[blob], ordinal, score) for score, blob, ordinal in found if blob in shared], total

    def vectors(self, view: ViewRow, model: str) -> "ViewVectors | None":
        """Return the file's vectors of the view's blobs; None if it has none of this model."""
        with self.index.open_reader() as reading:
            about = reading.contents
            if about.meta.get("model") != model or not about.meta.get("vectors"):
                return None
            return self.index.vector_table(reading).to_view_vectors(model, self._shared_blobs(about), len(self.view))

    def _shared_blobs(self, about: PortableContents) -> dict[int, int]:
        """Return blob of the file → blob of the view, for common blobs; the file may be replaced between two calls."""
        if self._shared is None or self._shared[0] is not about:
            own = about.blobs
            self._shared = (about, {own[key]: blob for blob, key in self.view.items() if key in own})
        return self._shared[1]


def _allowed_blobs(query: TextQuery, about: PortableContents, shared: Mapping[int, int]) -> frozenset[int] | None:
    """Return the blobs of the file to search; None for all."""
    if len(shared) == len(about.blobs) and not query.language and query.only is None:
        return None
    return frozenset(
        own
        for own, seen in shared.items()
        if (not query.language or about.languages[own] == query.language) and (query.only is None or seen in query.only)
    )
