"""Lazy vectors: access to vectors.db that loads numpy only when vectors are used."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked
from codecompass.store.ports import Owner, Snapshot, ViewEntry, ViewRow
from codecompass.store.vector_port import VectorAgreement

if TYPE_CHECKING:
    from codecompass.store.embedded.vectors.vector_file import VectorFile
    from codecompass.store.embedded.vectors.vector_table import ViewVectors
    from codecompass.store.embedded.vectors.vector_writer import EmbeddedVectorWriter


class LazyVectors:
    """The vectors of a project; opens the vector file at the first use, if it exists."""

    def __init__(self, path: Path, store_id: Callable[[], str]) -> None:
        self._path = path
        self._store_id = store_id
        self._lock_path = path.with_name("vectors.lock")
        self._lock = Lock()
        self._file: VectorFile | None = None

    def view_vectors(
        self, store_id: str, model: str, view: ViewRow, entries: dict[str, ViewEntry]
    ) -> "ViewVectors | None":
        """Return the vectors of a view, if there are any."""
        file = self._open()
        return file.view_vectors(store_id, model, view, entries) if file is not None else None

    def _open(self) -> "VectorFile | None":
        with self._lock:
            if self._file is None and self._path.exists():
                from codecompass.store.embedded.vectors.vector_file import VectorFile  # noqa: PLC0415 - loads numpy

                self._file = VectorFile(self._path, self._lock_path)
            return self._file

    def open_writer(self, owner: Owner, model: str, dimensions: int) -> "EmbeddedVectorWriter":
        """Take the lock of the vectors, which is separate from the index's, and open for adding."""
        from codecompass.store.embedded.vectors.vector_writer import EmbeddedVectorWriter  # noqa: PLC0415 - loads numpy

        lock = WriterLock(self._lock_path, owner)
        try:
            return EmbeddedVectorWriter(self._path, lock, self._store_id(), model, dimensions)
        except BaseException:
            lock.close()
            raise

    def is_building(self) -> bool:
        """Whether a process is adding vectors now."""
        return is_locked(self._lock_path)

    def check_agreement(self, snapshot: Snapshot) -> VectorAgreement | None:
        """Compare the stored vectors with the views."""
        file = self._open()
        stored = file.stored_blobs(snapshot.store_id) if file is not None else None
        if stored is None:
            return None
        views = [snapshot.entries(view) for view in snapshot.views()]
        held = {entry.blob for entries in views for entry in entries.values() if entry.blob}
        return VectorAgreement(len(stored), len(stored - held), len(held - stored))

    def find_damage(self) -> list[str]:
        """Read all vectors; return one line per damage."""
        file = self._open()
        return file.find_damage() if file is not None else []

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
