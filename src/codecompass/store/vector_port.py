"""Nearness: what the engine asks of the vectors of a store. Implementations live beside this file."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from codecompass.store.ports import Owner, Snapshot, ViewRow

if TYPE_CHECKING:  # numpy is loaded only where vectors are
    import numpy as np
    from numpy.typing import NDArray


class VectorHit(NamedTuple):
    """One chunk that is near a question."""

    blob: int
    ordinal: int
    similarity: float


class Nearness(NamedTuple):
    """How near a file is to a question: cosines, -1 to 1."""

    best: float
    """Of its nearest chunk."""
    second: float
    """Of the next one; for a file of one chunk a little less than that one."""
    whole: float
    """Of the mean of its chunks."""
    outline: float
    """Of its path with the names that it defines."""
    path: float
    """Of its path."""
    ordinal: int
    """Which chunk is the nearest."""


class Likeness(Protocol):
    """One question compared with the vectors of a view. Cheap after the first of these calls; for one thread."""

    def best(self, limit: int, only: frozenset[int] | None = None) -> list[VectorHit]:
        """The nearest chunks, nearest first; with `only` among the chunks of these blobs."""

    def near(self, paths: Iterable[str]) -> dict[str, Nearness]:
        """How near each of these files is; files that have no vectors are left out."""

    def middle(self) -> Nearness:
        """The median of each number over the files of the view (a sample of them where there are over 16,000)."""

    def highest(self) -> Nearness:
        """The greatest of each number over the same files."""


class VectorField(Protocol):
    """The vectors of a view, all of one model (there is no field where it has made none, or they are damaged).

    The same object for every caller of one state; thread-safe.
    """

    model: str
    """The digest of the model they were made with."""
    dimensions: int
    covered: int
    """Files of the view that have their vectors."""
    total: int

    @property
    def complete(self) -> bool:
        """Whether every file of the view has its vectors; else they are still being built."""

    def ask(self, question: "NDArray[np.float32]") -> Likeness:
        """Compare a vector of length one with all."""

    def of(self, blobs: Iterable[int]) -> "dict[int, NDArray[np.float32]]":
        """The chunks' vectors of these blobs, a row each; blobs that have none are left out."""

    def sides(self, paths: Iterable[str]) -> "dict[str, NDArray[np.float32]]":
        """Two rows for each of these files, its outline and its path; files that have none are left out."""


class VectorBatch(NamedTuple):
    """The vectors of one file, quantised: for each a scale and one signed byte a number."""

    path: str
    blob: int
    chunks: "NDArray[np.int8] | None"
    """None where the blob's are stored already."""
    scales: "NDArray[np.float32] | None"
    place: "NDArray[np.int8]"
    """Two rows: outline and path."""
    place_scales: "NDArray[np.float32]"


class VectorAgreement(NamedTuple):
    """The stored vectors beside the catalog."""

    stored: int
    """Contents that have some."""
    strays: int
    """Those of them that no view holds; they never answer, and go when there are many."""


class VectorStore(Protocol):
    """The vectors of a project, of one model at a time. Whoever reads them asks a snapshot."""

    def writer(self, owner: Owner, model: str, dimensions: int) -> "VectorWriter":
        """Begin to add vectors of a model (its digest), dropping all others; INDEX_IN_PROGRESS while another does."""

    def building(self) -> bool:
        """Whether a process adds vectors now."""

    def agreement(self, snapshot: Snapshot) -> VectorAgreement | None:
        """What is stored beside what the views hold; None where nothing is stored for this index, or it is damaged."""


class VectorWriter(Protocol):
    """Adds vectors of one model to a project, beside readers. What is added is durable at the next `flush`."""

    def missing(self, snapshot: Snapshot, view: ViewRow) -> list[tuple[str, int, bool]]:
        """(path, blob, whether its chunks are stored) of every file of the view that lacks vectors."""

    def add(self, batch: VectorBatch) -> None: ...

    def flush(self) -> None: ...

    def sweep(self, snapshot: Snapshot) -> None:
        """Forget what no view holds any more, once there is enough of it."""

    def close(self) -> None: ...
