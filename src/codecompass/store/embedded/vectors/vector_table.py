"""Vector table: the vectors of one model in memory, restricted to a view and compared with a query.

Every vector has one signed byte per component and a scale. Up to `EXACT` chunks, each is compared with the query. Above
that, a sketch of one bit per component (its sign) selects `SURVIVORS` candidates, which are then compared exactly.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codecompass.store.vector_port import Similarities, VectorHit

BLOCK = 1024
"""Rows converted to floats at a time, so that they stay in the processor's cache."""
EXACT = 8_000
SURVIVORS = 2_048
SAMPLE_FILES = 256
"""The size of the sample of files for medians, if there are more."""
SINGLE_CHUNK_SECOND = 0.8
"""The `second` similarity of a file with one chunk, as a fraction of `best`."""
OUTLINE, PATH = 0, 1
FILE_ROWS = 2

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class VectorTable:
    """All stored vectors of one model, in insertion order."""

    rows: Bytes
    scales: Floats
    blobs: Numbers
    """The blob of each run of rows; no run is empty."""
    starts: Numbers
    """Where each run begins; one more than there are blobs."""
    norms: Floats
    """The length of the mean of each run."""
    file_rows: Bytes
    """Two rows for each file: outline and path."""
    file_scales: Floats
    where: Mapping[tuple[str, int], int]
    """(path, blob) → the number of the file."""

    @cached_property
    def runs(self) -> dict[int, int]:
        """Blob → the number of its run of rows."""
        return {blob: at for at, blob in enumerate(self.blobs.tolist())}

    @cached_property
    def sketch(self) -> NDArray[np.uint64]:
        """The signs of all rows, 64 per word: the first word of every row, then the second words, and so on."""
        packed = np.packbits(self.rows >= 0, axis=1)
        padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return np.ascontiguousarray(padded.view(np.uint64).T)


def make_empty_table(dimensions: int) -> VectorTable:
    return VectorTable(
        np.zeros((0, dimensions), np.int8), np.zeros(0, np.float32), np.zeros(0, np.int64), np.zeros(1, np.int64),
        np.zeros(0, np.float32), np.zeros((0, dimensions), np.int8), np.zeros(0, np.float32), {},
    )  # fmt: skip


def compute_norms(rows: Bytes, scales: Floats, starts: Numbers) -> Floats:
    """Compute the length of the mean of each run of rows."""
    found = np.zeros(len(starts) - 1, np.float32)
    for run in range(len(found)):
        span = slice(starts[run], starts[run + 1])
        found[run] = compute_norm(rows[span], scales[span])
    return found


def compute_norm(rows: Bytes, scales: Floats) -> float:
    """Compute the length of the mean of some vectors."""
    mean = scales @ rows.astype(np.float32) / len(rows)
    return float(np.sqrt(mean @ mean))


def compute_similarities(rows: Bytes, scales: Floats, query: Floats) -> Floats:
    """Compute the cosine of each row with the query. Row by row, because a threaded product is slower here."""
    found = np.empty(len(rows), np.float32)
    wide = np.empty((min(BLOCK, max(len(rows), 1)), rows.shape[1]), np.float32)
    for at in range(0, len(rows), BLOCK):
        part = rows[at : at + BLOCK]
        np.copyto(wide[: len(part)], part)
        np.vecdot(wide[: len(part)], query, out=found[at : at + len(part)])
    found *= scales
    return found


class FileVectors(NamedTuple):
    """The vectors of some files."""

    file_rows: Bytes
    file_scales: Floats
    rows: Bytes
    scales: Floats
    starts: Numbers
    """Where the chunks of each file begin."""
    norms: Floats

    def compare_query(self, query: Floats) -> NDArray[np.float64]:
        """Compare with a query; return a row for each file with the fields of `Similarities`."""
        chunks = reduce_runs(compute_similarities(self.rows, self.scales, query), self.starts, self.norms)
        sides = compute_similarities(self.file_rows, self.file_scales, query).reshape(-1, FILE_ROWS)
        return np.column_stack((chunks[:, :3], sides[:, OUTLINE], sides[:, PATH], chunks[:, 3])).astype(np.float64)


class ViewVectors:
    """The vectors of a table that belong to a view."""

    def __init__(self, table: VectorTable, model: str, files: Mapping[str, int]) -> None:
        self.stock = table
        self.model = model
        self.dimensions = int(table.rows.shape[1])
        self.files = {path: blob for path, blob in files.items() if (path, blob) in table.where and blob in table.runs}
        self.covered, self.total = len(self.files), len(files)

    @property
    def is_complete(self) -> bool:
        return self.covered == self.total

    @cached_property
    def sample(self) -> FileVectors:
        """All files, or evenly spread ones if there are many; every query is compared with them."""
        paths = sorted(self.files)
        return self.gather_files(paths[:: -(-len(paths) // SAMPLE_FILES) or 1])

    def gather_files(self, paths: list[str]) -> FileVectors:
        """Gather the vectors of these files."""
        stock = self.stock
        places = np.array([stock.where[path, self.files[path]] for path in paths], np.int64)
        runs = np.array([stock.runs[self.files[path]] for path in paths], np.int64)
        sides = (places[:, None] * FILE_ROWS + np.arange(FILE_ROWS)).ravel()
        counts = stock.starts[runs + 1] - stock.starts[runs]
        starts = np.cumsum(counts) - counts
        rows = np.repeat(stock.starts[runs] - starts, counts) + np.arange(int(counts.sum()))
        return FileVectors(
            stock.file_rows[sides], stock.file_scales[sides], stock.rows[rows], stock.scales[rows], starts,
            stock.norms[runs],
        )  # fmt: skip

    @cached_property
    def members(self) -> NDArray[np.bool_] | None:
        """A mask of the runs that belong to the view; None if all do."""
        held = set(self.files.values())
        if len(held) == len(self.stock.blobs):
            return None
        return np.fromiter((blob in held for blob in self.stock.blobs.tolist()), np.bool_, len(self.stock.blobs))

    def compare_query(self, query: Floats) -> "TableQuerySimilarity":
        return TableQuerySimilarity(self, np.ascontiguousarray(query, np.float32))

    def file_vectors(self, paths: Iterable[str]) -> dict[str, Floats]:
        stock, found = self.stock, {}
        for path in paths:
            if path in self.files:
                first = stock.where[path, self.files[path]] * FILE_ROWS
                span = slice(first, first + FILE_ROWS)
                found[path] = stock.file_rows[span] * stock.file_scales[span, None]
        return found

    def chunk_vectors(self, blobs: Iterable[int]) -> dict[int, Floats]:
        stock, found = self.stock, {}
        for blob in blobs:
            run = stock.runs.get(blob)
            if run is not None:
                span = slice(stock.starts[run], stock.starts[run + 1])
                found[blob] = stock.rows[span] * stock.scales[span, None]
        return found


class TableQuerySimilarity:
    """One query compared with the vectors of a view."""

    def __init__(self, field: ViewVectors, query: Floats) -> None:
        self._vectors = field
        self._table = field.stock
        self._query = query

    @cached_property
    def _all_similarities(self) -> Floats | None:
        """The similarity of every chunk, if there are few enough."""
        stock = self._table
        return compute_similarities(stock.rows, stock.scales, self._query) if len(stock.rows) <= EXACT else None

    # -- chunks ----------------------------------------------------------------------------------------------------

    def find_nearest(self, limit: int, only: frozenset[int] | None = None) -> list[VectorHit]:
        allowed = self._allowed_rows(only)
        if self._all_similarities is not None:
            known = self._all_similarities
            chosen = np.arange(len(known)) if allowed is None else np.flatnonzero(allowed)
            near = known[chosen]
        else:
            chosen = self._select_by_sketch(allowed, limit)
            near = compute_similarities(self._table.rows[chosen], self._table.scales[chosen], self._query)
        if len(chosen) > limit:
            kept = np.argpartition(-near, limit - 1)[:limit]
            chosen, near = chosen[kept], near[kept]
        order = np.lexsort((chosen, -near))
        chosen, near = chosen[order], near[order]
        runs = np.searchsorted(self._table.starts, chosen, side="right") - 1
        ordinals = chosen - self._table.starts[runs]
        blobs = self._table.blobs[runs]
        return [
            VectorHit(*hit) for hit in zip(blobs.tolist(), ordinals.tolist(), near.tolist(), strict=True) if hit[2] > 0
        ]

    def _allowed_rows(self, only: frozenset[int] | None) -> NDArray[np.bool_] | None:
        """Return a mask of the rows to search; None for all."""
        members, stock = self._vectors.members, self._table
        if only is not None:
            chosen = np.isin(stock.blobs, np.fromiter(only, np.int64, len(only)))
            members = chosen if members is None else members & chosen
        return None if members is None else np.repeat(members, np.diff(stock.starts))

    def _select_by_sketch(self, allowed: NDArray[np.bool_] | None, limit: int) -> Numbers:
        """Select the rows whose signs agree most with the query's, including ties with the last one."""
        sketch, count = self._table.sketch, max(SURVIVORS, 2 * limit)
        signs = np.zeros(len(sketch) * 8, np.uint8)
        packed = np.packbits(self._query >= 0)
        signs[: len(packed)] = packed
        apart = np.zeros(sketch.shape[1], np.int16)
        for words, mine in zip(sketch, signs.view(np.uint64), strict=True):
            apart += np.bitwise_count(words ^ mine)
        if allowed is not None:
            apart[~allowed] = np.iinfo(np.int16).max
        # There are few distinct values, so counting them is faster than sorting the rows.
        upto = np.cumsum(np.bincount(apart if allowed is None else apart[allowed], minlength=1))
        last = min(int(np.searchsorted(upto, count)), len(upto) - 1)
        return np.flatnonzero(apart <= last)

    # -- files -----------------------------------------------------------------------------------------------------

    def compare_files(self, paths: Iterable[str]) -> dict[str, Similarities]:
        known = [path for path in paths if path in self._vectors.files]
        table = self._vectors.gather_files(known).compare_query(self._query).tolist()
        return {path: _to_similarities(row) for path, row in zip(known, table, strict=True)}

    def median(self) -> Similarities:
        table = self._sample_similarities
        return _to_summary(_compute_median(table) if len(table) else np.zeros(len(Similarities._fields)))

    def maximum(self) -> Similarities:
        table = self._sample_similarities
        return _to_summary(table.max(axis=0) if len(table) else np.zeros(len(Similarities._fields)))

    @cached_property
    def _sample_similarities(self) -> NDArray[np.float64]:
        return self._vectors.sample.compare_query(self._query)


def _compute_median(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the median of each column. The function of numpy is the same, but imports its masked arrays first."""
    ordered, middle = np.sort(table, axis=0), len(table) // 2
    middle_rows = ordered[middle : middle + 1] if len(table) % 2 else ordered[middle - 1 : middle + 1]
    return np.asarray(middle_rows.sum(axis=0) / len(middle_rows), np.float64)


def reduce_runs(values: Floats, starts: Numbers, norms: Floats) -> Floats:
    """Reduce each run of values to its maximum, second value, cosine of the mean, and position of the maximum."""
    if not len(starts):
        return np.zeros((0, 4), np.float32)
    counts = np.diff(starts, append=len(values))
    best = np.maximum.reduceat(values, starts)
    peaks = np.flatnonzero(values == np.repeat(best, counts))
    first = peaks[np.searchsorted(peaks, starts)]
    rest = values.copy()
    rest[first] = -np.inf
    second = np.where(counts > 1, np.maximum.reduceat(rest, starts), SINGLE_CHUNK_SECOND * best)
    mean = np.add.reduceat(values, starts) / counts
    whole = np.divide(mean, norms, out=np.zeros_like(mean, np.float64), where=norms > 0)
    return np.column_stack((best, second, whole, first - starts)).astype(np.float32)


def _to_similarities(row: list[float]) -> Similarities:
    best, second, whole, outline, path, ordinal = row
    return Similarities(best, second, whole, outline, path, int(ordinal))


def _to_summary(values: NDArray[np.float64]) -> Similarities:
    """Build the similarities of a summary over many files, which has no nearest chunk."""
    return _to_similarities(values.tolist())._replace(ordinal=-1)
