"""Vector ports: how the engine searches, compares and writes the vectors of a store."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from codecompass.store.ports import Owner, Snapshot, ViewRow

if TYPE_CHECKING:  # numpy is loaded only where vectors are used
    import numpy as np
    from numpy.typing import NDArray


class VectorHit(NamedTuple):
    """One chunk with a vector similar to the query's."""

    blob: int
    ordinal: int
    similarity: float


class Similarities(NamedTuple):
    """Cosine similarities of a file to a query, -1 to 1."""

    best: float
    """The nearest chunk."""
    second: float
    """The second-nearest chunk; for a file with one chunk a fraction of `best`."""
    whole: float
    """The mean of all chunks."""
    outline: float
    """The path with the names that the file defines."""
    path: float
    """The path alone."""
    ordinal: int
    """The number of the nearest chunk."""


class QuerySimilarity(Protocol):
    """Similarities of one query to the vectors of a view. Calls after the first are cheap; for one thread."""

    def find_nearest(self, limit: int, only: frozenset[int] | None = None) -> list[VectorHit]:
        """Return the nearest chunks, nearest first; with `only`, among the chunks of these blobs."""

    def compare_files(self, paths: Iterable[str]) -> dict[str, Similarities]:
        """Return the similarities of each of these files; files without vectors are omitted."""

    def median(self) -> Similarities:
        """Return the median of each similarity over the files of the view (over a sample if there are many)."""

    def maximum(self) -> Similarities:
        """Return the maximum of each similarity over the same files."""


class VectorIndex(Protocol):
    """The vectors of a view, all by one model; absent if the model has produced none or they are damaged.

    All callers share one object per published state; thread-safe.
    """

    model: str
    """The digest of the model that produced them."""
    dimensions: int
    covered: int
    """Files of the view that have vectors."""
    total: int

    @property
    def is_complete(self) -> bool:
        """Whether every file of the view has vectors; otherwise they are still being built."""

    def compare_query(self, query: "NDArray[np.float32]") -> QuerySimilarity:
        """Compare a unit vector with all vectors."""

    def chunk_vectors(self, blobs: Iterable[int]) -> "dict[int, NDArray[np.float32]]":
        """Return the chunk vectors of these blobs, one row per chunk; blobs without vectors are omitted."""

    def file_vectors(self, paths: Iterable[str]) -> "dict[str, NDArray[np.float32]]":
        """Return two rows for each of these files, outline and path; files without vectors are omitted."""


class VectorBatch(NamedTuple):
    """The quantised vectors of one file: a scale per vector and one signed byte per component."""

    path: str
    blob: int
    chunks: "NDArray[np.int8] | None"
    """None if the blob's chunk vectors are stored already."""
    scales: "NDArray[np.float32] | None"
    file_rows: "NDArray[np.int8]"
    """Two rows: outline and path."""
    file_scales: "NDArray[np.float32]"


class VectorAgreement(NamedTuple):
    """The stored vectors compared with the catalog."""

    stored: int
    """Blobs that have vectors."""
    strays: int
    """Blobs among them that no view references; never returned, and deleted when there are many."""
    missing: int
    """Blobs of views that have no vectors; the next sync adds them."""


class VectorStore(Protocol):
    """Writes the vectors of a project, of one model at a time. Readers get them from a snapshot."""

    def open_writer(self, owner: Owner, model: str, dimensions: int) -> "VectorWriter":
        """Open for adding vectors of a model (a digest), dropping other models'; INDEX_IN_PROGRESS if locked."""

    def is_building(self) -> bool:
        """Whether a process is adding vectors now."""

    def check_agreement(self, snapshot: Snapshot) -> VectorAgreement | None:
        """Compare the stored vectors with the views; None if none are stored for this index, or they are damaged."""


class VectorWriter(Protocol):
    """Adds vectors of one model to a project, concurrently with readers. Durable at the next `flush`."""

    def find_missing(self, snapshot: Snapshot, view: ViewRow) -> list[tuple[str, int, bool]]:
        """Return (path, blob, whether its chunks are stored) of every file of the view without vectors."""

    def add(self, batch: VectorBatch) -> None: ...

    def flush(self) -> None: ...

    def sweep(self, snapshot: Snapshot) -> None:
        """Delete rows that no view references, once there are enough of them."""

    def close(self) -> None: ...
