"""Lazy vectors: access to vectors.db that loads numpy only when vectors are used."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked
from codecompass.store.ports import Entry, Owner, Snapshot, ViewRow
from codecompass.store.vector_port import VectorAgreement

if TYPE_CHECKING:
    from codecompass.store.embedded.vectors.vector_file import VectorShelf
    from codecompass.store.embedded.vectors.vector_table import Field
    from codecompass.store.embedded.vectors.vector_writer import EmbeddedVectorWriter


class VectorDoor:
    """The vectors of a project; opens the vector file at the first use, if it exists."""

    def __init__(self, path: Path, store_id: Callable[[], str]) -> None:
        self._path = path
        self._store_id = store_id
        self._lock_path = path.with_name("vectors.lock")
        self._lock = Lock()
        self._shelf: VectorShelf | None = None

    def field(self, store_id: str, model: str, view: ViewRow, entries: dict[str, Entry]) -> "Field | None":
        """Return the vectors of a view, if there are any."""
        file = self._opened()
        return file.field(store_id, model, view, entries) if file is not None else None

    def _opened(self) -> "VectorShelf | None":
        with self._lock:
            if self._shelf is None and self._path.exists():
                from codecompass.store.embedded.vectors.vector_file import VectorShelf  # noqa: PLC0415 - loads numpy

                self._shelf = VectorShelf(self._path, self._lock_path)
            return self._shelf

    def writer(self, owner: Owner, model: str, dimensions: int) -> "EmbeddedVectorWriter":
        """Take the lock of the vectors, which is separate from the index's, and open for adding."""
        from codecompass.store.embedded.vectors.vector_writer import EmbeddedVectorWriter  # noqa: PLC0415 - loads numpy

        lock = WriterLock(self._lock_path, owner)
        try:
            return EmbeddedVectorWriter(self._path, lock, self._store_id(), model, dimensions)
        except BaseException:
            lock.close()
            raise

    def building(self) -> bool:
        """Whether a process is adding vectors now."""
        return is_locked(self._lock_path)

    def agreement(self, snapshot: Snapshot) -> VectorAgreement | None:
        """Compare the stored vectors with the views."""
        file = self._opened()
        stored = file.blobs(snapshot.store_id) if file is not None else None
        if stored is None:
            return None
        views = [snapshot.entries(view) for view in snapshot.views()]
        held = {entry.blob for entries in views for entry in entries.values()}
        return VectorAgreement(len(stored), len(stored - held))

    def damage(self) -> list[str]:
        """Read all vectors; return one line per damage."""
        file = self._opened()
        return file.damage() if file is not None else []

    def close(self) -> None:
        with self._lock:
            if self._shelf is not None:
                self._shelf.close()
                self._shelf = None
