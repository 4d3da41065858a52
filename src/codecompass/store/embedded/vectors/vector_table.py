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

from codecompass.store.vector_port import Nearness, VectorHit

BLOCK = 1024
"""Rows converted to floats at a time, so that they stay in the processor's cache."""
EXACT = 8_000
SURVIVORS = 2_048
SAMPLE = 256
"""The size of the sample of files for medians, if there are more."""
ALONE = 0.8
"""The `second` similarity of a file with one chunk, as a fraction of `best`."""
OUTLINE, PATH = 0, 1
PLACE_ROWS = 2

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Stock:
    """All stored vectors of one model, in insertion order."""

    rows: Bytes
    scales: Floats
    blobs: Numbers
    """The blob of each run of rows; no run is empty."""
    starts: Numbers
    """Where each run begins; one more than there are blobs."""
    norms: Floats
    """The length of the mean of each run."""
    places: Bytes
    """Two rows for each file: outline and path."""
    place_scales: Floats
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


def empty_stock(dimensions: int) -> Stock:
    return Stock(
        np.zeros((0, dimensions), np.int8), np.zeros(0, np.float32), np.zeros(0, np.int64), np.zeros(1, np.int64),
        np.zeros(0, np.float32), np.zeros((0, dimensions), np.int8), np.zeros(0, np.float32), {},
    )  # fmt: skip


def norms_of(rows: Bytes, scales: Floats, starts: Numbers) -> Floats:
    """Compute the length of the mean of each run of rows."""
    found = np.zeros(len(starts) - 1, np.float32)
    for run in range(len(found)):
        span = slice(starts[run], starts[run + 1])
        found[run] = norm_of(rows[span], scales[span])
    return found


def norm_of(rows: Bytes, scales: Floats) -> float:
    """Compute the length of the mean of some vectors."""
    mean = scales @ rows.astype(np.float32) / len(rows)
    return float(np.sqrt(mean @ mean))


def similarities(rows: Bytes, scales: Floats, query: Floats) -> Floats:
    """Compute the cosine of each row with the query. Row by row, because a threaded product is slower here."""
    found = np.empty(len(rows), np.float32)
    wide = np.empty((min(BLOCK, max(len(rows), 1)), rows.shape[1]), np.float32)
    for at in range(0, len(rows), BLOCK):
        part = rows[at : at + BLOCK]
        np.copyto(wide[: len(part)], part)
        np.vecdot(wide[: len(part)], query, out=found[at : at + len(part)])
    found *= scales
    return found


class Excerpt(NamedTuple):
    """The vectors of some files."""

    sides: Bytes
    side_scales: Floats
    rows: Bytes
    scales: Floats
    starts: Numbers
    """Where the chunks of each file begin."""
    norms: Floats

    def beside(self, query: Floats) -> NDArray[np.float64]:
        """Compare with a query; return a row for each file with the fields of `Similarities`."""
        chunks = reduced(similarities(self.rows, self.scales, query), self.starts, self.norms)
        sides = similarities(self.sides, self.side_scales, query).reshape(-1, PLACE_ROWS)
        return np.column_stack((chunks[:, :3], sides[:, OUTLINE], sides[:, PATH], chunks[:, 3])).astype(np.float64)


class Field:
    """The vectors of a table that belong to a view."""

    def __init__(self, stock: Stock, model: str, files: Mapping[str, int]) -> None:
        self.stock = stock
        self.model = model
        self.dimensions = int(stock.rows.shape[1])
        self.files = {path: blob for path, blob in files.items() if (path, blob) in stock.where and blob in stock.runs}
        self.covered, self.total = len(self.files), len(files)

    @property
    def complete(self) -> bool:
        return self.covered == self.total

    @cached_property
    def sample(self) -> Excerpt:
        """All files, or evenly spread ones if there are many; every query is compared with them."""
        paths = sorted(self.files)
        return self.excerpt(paths[:: -(-len(paths) // SAMPLE) or 1])

    def excerpt(self, paths: list[str]) -> Excerpt:
        """Gather the vectors of these files."""
        stock = self.stock
        places = np.array([stock.where[path, self.files[path]] for path in paths], np.int64)
        runs = np.array([stock.runs[self.files[path]] for path in paths], np.int64)
        sides = (places[:, None] * PLACE_ROWS + np.arange(PLACE_ROWS)).ravel()
        counts = stock.starts[runs + 1] - stock.starts[runs]
        starts = np.cumsum(counts) - counts
        rows = np.repeat(stock.starts[runs] - starts, counts) + np.arange(int(counts.sum()))
        return Excerpt(
            stock.places[sides], stock.place_scales[sides], stock.rows[rows], stock.scales[rows], starts,
            stock.norms[runs],
        )  # fmt: skip

    @cached_property
    def members(self) -> NDArray[np.bool_] | None:
        """A mask of the runs that belong to the view; None if all do."""
        held = set(self.files.values())
        if len(held) == len(self.stock.blobs):
            return None
        return np.fromiter((blob in held for blob in self.stock.blobs.tolist()), np.bool_, len(self.stock.blobs))

    def ask(self, query: Floats) -> "Asked":
        return Asked(self, np.ascontiguousarray(query, np.float32))

    def sides(self, paths: Iterable[str]) -> dict[str, Floats]:
        stock, found = self.stock, {}
        for path in paths:
            if path in self.files:
                first = stock.where[path, self.files[path]] * PLACE_ROWS
                span = slice(first, first + PLACE_ROWS)
                found[path] = stock.places[span] * stock.place_scales[span, None]
        return found

    def of(self, blobs: Iterable[int]) -> dict[int, Floats]:
        stock, found = self.stock, {}
        for blob in blobs:
            run = stock.runs.get(blob)
            if run is not None:
                span = slice(stock.starts[run], stock.starts[run + 1])
                found[blob] = stock.rows[span] * stock.scales[span, None]
        return found


class Asked:
    """One query compared with the vectors of a view."""

    def __init__(self, field: Field, query: Floats) -> None:
        self._field = field
        self._stock = field.stock
        self._question = query

    @cached_property
    def _all(self) -> Floats | None:
        """The similarity of every chunk, if there are few enough."""
        stock = self._stock
        return similarities(stock.rows, stock.scales, self._question) if len(stock.rows) <= EXACT else None

    # -- chunks ----------------------------------------------------------------------------------------------------

    def best(self, limit: int, only: frozenset[int] | None = None) -> list[VectorHit]:
        allowed = self._allowed(only)
        if self._all is not None:
            known = self._all
            chosen = np.arange(len(known)) if allowed is None else np.flatnonzero(allowed)
            near = known[chosen]
        else:
            chosen = self._survivors(allowed, limit)
            near = similarities(self._stock.rows[chosen], self._stock.scales[chosen], self._question)
        if len(chosen) > limit:
            kept = np.argpartition(-near, limit - 1)[:limit]
            chosen, near = chosen[kept], near[kept]
        order = np.lexsort((chosen, -near))
        chosen, near = chosen[order], near[order]
        runs = np.searchsorted(self._stock.starts, chosen, side="right") - 1
        ordinals = chosen - self._stock.starts[runs]
        blobs = self._stock.blobs[runs]
        return [
            VectorHit(*hit) for hit in zip(blobs.tolist(), ordinals.tolist(), near.tolist(), strict=True) if hit[2] > 0
        ]

    def _allowed(self, only: frozenset[int] | None) -> NDArray[np.bool_] | None:
        """Return a mask of the rows to search; None for all."""
        members, stock = self._field.members, self._stock
        if only is not None:
            chosen = np.isin(stock.blobs, np.fromiter(only, np.int64, len(only)))
            members = chosen if members is None else members & chosen
        return None if members is None else np.repeat(members, np.diff(stock.starts))

    def _survivors(self, allowed: NDArray[np.bool_] | None, limit: int) -> Numbers:
        """Select the rows whose signs agree most with the query's, including ties with the last one."""
        sketch, count = self._stock.sketch, max(SURVIVORS, 2 * limit)
        signs = np.zeros(len(sketch) * 8, np.uint8)
        packed = np.packbits(self._question >= 0)
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

    def near(self, paths: Iterable[str]) -> dict[str, Nearness]:
        known = [path for path in paths if path in self._field.files]
        table = self._field.excerpt(known).beside(self._question).tolist()
        return {path: _shaped(row) for path, row in zip(known, table, strict=True)}

    def middle(self) -> Nearness:
        table = self._sampled
        return _of(np.median(table, axis=0) if len(table) else np.zeros(len(Nearness._fields)))

    def highest(self) -> Nearness:
        table = self._sampled
        return _of(table.max(axis=0) if len(table) else np.zeros(len(Nearness._fields)))

    @cached_property
    def _sampled(self) -> NDArray[np.float64]:
        return self._field.sample.beside(self._question)


def reduced(values: Floats, starts: Numbers, norms: Floats) -> Floats:
    """Reduce each run of values to its maximum, second value, cosine of the mean, and position of the maximum."""
    if not len(starts):
        return np.zeros((0, 4), np.float32)
    counts = np.diff(starts, append=len(values))
    best = np.maximum.reduceat(values, starts)
    peaks = np.flatnonzero(values == np.repeat(best, counts))
    first = peaks[np.searchsorted(peaks, starts)]
    rest = values.copy()
    rest[first] = -np.inf
    second = np.where(counts > 1, np.maximum.reduceat(rest, starts), ALONE * best)
    mean = np.add.reduceat(values, starts) / counts
    whole = np.divide(mean, norms, out=np.zeros_like(mean, np.float64), where=norms > 0)
    return np.column_stack((best, second, whole, first - starts)).astype(np.float32)


def _shaped(row: list[float]) -> Nearness:
    best, second, whole, outline, path, ordinal = row
    return Nearness(best, second, whole, outline, path, int(ordinal))


def _of(values: NDArray[np.float64]) -> Nearness:
    """Build the similarities of a summary over many files, which has no nearest chunk."""
    return _shaped(values.tolist())._replace(ordinal=-1)
