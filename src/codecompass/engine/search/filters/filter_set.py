"""Filter set: test which candidates of a search pass its filters, reading as few facts as possible.

Filters on the path, the mode and the last commit of a file are evaluated first. Then the facets and the trigrams of
each blob limit the search to blobs in which something may pass. If these are few, only they are searched in the text
index, so that the rarest definition is found however common the words are. The remaining candidates are tested one by
one, in order of rank, until enough pass; blame filters, which run git for each file, come last.
"""

from bisect import bisect_left
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from codecompass.cache import LRU
from codecompass.engine.index.facet_builder import NAME_FILTERS, split_names, to_facet_query
from codecompass.engine.search.filters.candidates import Candidate
from codecompass.engine.search.filters.predicates import PREDICATES, FilterValueContext, prepare_value
from codecompass.engine.search.filters.units import OUTSIDE, BlobFacts, FilterUnit, GitFacts, OpenedCount
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.view.file_modes import CODE, EXTRACTED
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.call import Call
from codecompass.model.code.facets import FacetQuery
from codecompass.model.code.facts import Facts
from codecompass.model.code.kinds import FILE
from codecompass.model.queries.filters import FILTERS_BY_FIELD, Filters, FilterValue
from codecompass.model.time_budget import TimeBudget

MIN_LISTED_BLOBS = 1_000
"""Up to this many blobs are always passed to the text index as a list."""
MAX_LISTED_SHARE = 0.5
"""Up to this share of a view is passed as a list too; beyond it, testing is cheaper."""
_PATH_FILTERS = ("path", "file", "ext", "author", "modifiedAfter", "modifiedSince")
"""Filters evaluated for whole files before any facts are read, the cheapest first."""
_BLAME_FILTERS = ("chunkAuthor",)
LONGEST_S = 2.0
"""Maximum seconds that one search spends on filters, whatever the size of the view."""
OUT_OF_TIME = (
    "The filters tested {} files in {:.0f} seconds and skipped the rest; add words or a path to the query "
    "to narrow the search."
)
_MAX_CACHED_BLOBS = 256
_MAX_CACHED_RESULTS = 50_000
"""Limits of the caches of one search, whatever the size of the view."""
_MAX_NAME_PARTS = 3
"""Maximum number of names of one filter value that are looked up in the files."""


@dataclass(frozen=True, slots=True)
class FilterCheck:
    """One filter with its prepared value."""

    field: str
    value: Any
    wanted: bool
    """False: the filter is negated."""

    def matches(self, unit: FilterUnit) -> bool:
        return evaluate_filter(self.field, unit, self.value) is self.wanted


def evaluate_filter(name: str, unit: FilterUnit, value: Any) -> bool:  # noqa: ANN401 - what the predicate takes
    """Whether a unit passes a filter; a whole file passes only filters on files."""
    if unit.is_file and FILTERS_BY_FIELD[name].scope != "file" and name != "type":
        return False
    return PREDICATES[name](unit, value)


@dataclass
class FilterSet:
    """The filters and the mode of one search on one view."""

    view: PinnedView
    paths: PathIndex
    filters: Filters
    without: Filters
    mode: str
    value_context: FilterValueContext
    git: GitFacts
    call: Call
    allowed_paths: frozenset[str] | None = None
    """Paths that pass the path filters; None: all."""
    blobs: frozenset[int] | None = None
    """Blobs in which something may pass; None: all."""
    index_blobs: frozenset[int] | None = None
    """Blobs to which the text index is limited; None: all."""
    _opened: OpenedCount = field(default_factory=OpenedCount)
    """Number of blobs whose facts were read."""
    _checks: tuple[FilterCheck, ...] = ()
    _blame_checks: tuple[FilterCheck, ...] = ()
    _blobs_narrowed: bool = False
    """Whether `blobs` excludes some files of `allowed_paths`."""
    _blob_facts: LRU[int, BlobFacts] = field(default_factory=lambda: LRU(_MAX_CACHED_BLOBS))
    _results: dict[tuple[str, int, int], bool] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """Notes for the caller on filters that were not fully evaluated."""
    _budget: TimeBudget = field(init=False)

    def __post_init__(self) -> None:
        self._budget = TimeBudget.start(LONGEST_S, self.call)
        every = [
            FilterCheck(row.field, prepare_value(row.field, value, self.value_context), wanted)
            for filters, wanted in ((self.filters, True), (self.without, False))
            for row, value in filters
        ]
        self._checks = tuple(check for check in every if check.field not in (*_PATH_FILTERS, *_BLAME_FILTERS))
        self._blame_checks = tuple(check for check in every if check.field in _BLAME_FILTERS)
        self._filter_paths([check for name in _PATH_FILTERS for check in every if check.field == name])
        self._filter_blobs()

    # -- what the filters require ----------------------------------------------------------------------------------

    @property
    def is_active(self) -> bool:
        """Whether there is any filter or mode."""
        return bool(self.filters or self.without or self.mode)

    @property
    def prose(self) -> bool:
        """Whether only comments and documentation are searched."""
        return self.mode == EXTRACTED

    @property
    def wants_definitions(self) -> bool:
        """Whether a filter applies to definitions, so that results are definitions and not chunks."""
        return any(FILTERS_BY_FIELD[check.field].scope != "file" for check in (*self._checks, *self._blame_checks))

    @property
    def can_match_files(self) -> bool:
        """Whether a whole file can pass."""
        rows = [row for row, _ in self.filters if row.scope != "file"]
        kinds = self.filters.get("type")
        return not self.prose and all(row.field == "type" for row in rows) and (
            kinds is None or (isinstance(kinds, tuple) and FILE in kinds)
        )  # fmt: skip

    @property
    def has_blame_filters(self) -> bool:
        return bool(self._blame_checks)

    # -- files and blobs -------------------------------------------------------------------------------------------

    def _filter_paths(self, checks: list[FilterCheck]) -> None:
        chosen: Iterable[str] = self.paths.paths
        if self.mode:
            wanted = (CODE, EXTRACTED) if self.prose else (self.mode,)
            self.allowed_paths, self.blobs = self.paths.files_in_modes(self.view, wanted)
            chosen = self.allowed_paths
        for check in checks:
            self.call.check()
            chosen = [path for path in chosen if check.matches(self._file_unit(path))]
        if checks:
            self.allowed_paths = frozenset(chosen)
            self.blobs = frozenset(self.view.entries[path].blob for path in self.allowed_paths)

    def _filter_blobs(self) -> None:
        if not self.is_active:
            return
        if any(row.scope == "record" for row, _ in self.filters):
            # Files have no record fields, so no facts need to be read.
            self.allowed_paths, self.blobs, self.index_blobs = frozenset(), frozenset(), frozenset()
            return
        view_blobs = self.view.paths
        possible: AbstractSet[int] | None = self.blobs
        facets = to_facet_query(self.filters)
        languages = next((check.value for check in self._checks if check.field == "lang" and check.wanted), ())
        facets = replace(facets, languages=tuple(sorted(languages)))
        if facets != FacetQuery():
            found = self.view.snapshot.find_blobs_by_facets(facets) & view_blobs.keys()
            possible = found if possible is None else possible & found
        most = max(MIN_LISTED_BLOBS, int(len(view_blobs) * MAX_LISTED_SHARE))
        for word in self._required_names():
            containing = self.view.snapshot.find_blobs_containing(word, self.view.row, most)
            if containing is not None:
                possible = containing if possible is None else possible & containing
        self._blobs_narrowed = possible is not self.blobs
        if possible is not None:
            self.blobs = possible if isinstance(possible, frozenset) else frozenset(possible)
            # If fewer blobs are excluded than included, the index can use the excluded ones.
            self.index_blobs = self.blobs if min(len(possible), len(view_blobs) - len(possible)) <= most else None

    def _required_names(self) -> Iterable[str]:
        """Yield names that occur in every file in which something passes."""
        for name in NAME_FILTERS:
            value = self.filters.get(name)
            if isinstance(value, str):
                yield from split_names(value)[:_MAX_NAME_PARTS]

    # -- candidates ------------------------------------------------------------------------------------------------

    @cached_property
    def possible_files(self) -> frozenset[str]:
        """Files in which something may pass."""
        if self.allowed_paths is not None and not self._blobs_narrowed:
            return self.allowed_paths
        return frozenset(path for path in self.paths.paths if self.may_match_file(path))

    def may_match_file(self, path: str) -> bool:
        """Whether something in a file may pass; does not read its facts."""
        if self.allowed_paths is not None and path not in self.allowed_paths:
            return False
        return self.blobs is None or self.view.entries[path].blob in self.blobs

    def prefetch(self, paths: Iterable[str]) -> None:
        """Count the changes of these files in one batch if a filter needs them."""
        if any(check.field == "churnMin" for check in self._checks):
            self.git.count_changes(sorted({path for path in paths if self.may_match_file(path)}))

    def matches(self, candidate: Candidate) -> bool:
        """Whether a candidate passes all filters except the blame filters."""
        if not self.may_match_file(candidate.path):
            return False
        if not self._checks:
            return True
        owner = self.owner_of(candidate)
        key = (candidate.path, owner, candidate.ordinal if owner == OUTSIDE else -1)
        cached = self._results.get(key)
        if cached is None:
            self.call.check()
            unit = self.to_unit(candidate)
            if len(self._results) >= _MAX_CACHED_RESULTS:
                self._results.clear()
            cached = self._results[key] = all(check.matches(unit) for check in self._checks)
        return cached

    def matches_blame(self, candidate: Candidate) -> bool:
        """Whether a candidate passes the blame filters, which run git; call it only for candidates that match."""
        unit = self.to_unit(candidate)
        self.call.check()
        return all(check.matches(unit) for check in self._blame_checks)

    def matches_filter(self, name: str, value: FilterValue, candidate: Candidate) -> bool:
        """Whether a candidate passes one filter of the query's boolean condition."""
        return evaluate_filter(name, self.to_unit(candidate), prepare_value(name, value, self.value_context))

    def owner_of(self, candidate: Candidate) -> int:
        """Return the position of the definition whose facts apply to a candidate."""
        if candidate.position >= 0 or candidate.whole_file:
            return candidate.position if candidate.position >= 0 else -2
        return self._facts_of(self.view.entries[candidate.path].blob).facts.chunks[candidate.ordinal].owner

    def to_unit(self, candidate: Candidate) -> FilterUnit:
        if candidate.whole_file:
            return self._file_unit(candidate.path)
        blob_facts = self._facts_of(self.view.entries[candidate.path].blob)
        owner = self.owner_of(candidate)
        part = blob_facts.facts.definitions[owner] if owner >= 0 else blob_facts.facts.chunks[candidate.ordinal]
        return FilterUnit(candidate.path, blob_facts, self.git, owner, part.line_start, part.line_end)

    def _file_unit(self, path: str) -> FilterUnit:
        return FilterUnit(path, self._facts_of(self.view.entries[path].blob), self.git, OUTSIDE, 1, 0, is_file=True)

    def facts(self, blob: int) -> Facts:
        return self._facts_of(blob).facts

    def definitions_on_lines(self, blob: int, first: int, last: int) -> list[int]:
        """Return the positions of the definitions whose names are on these lines."""
        lines = self._facts_of(blob).name_lines
        return [at for _, at in lines[bisect_left(lines, (first, -1)) : bisect_left(lines, (last + 1, -1))]]

    def _facts_of(self, blob: int) -> BlobFacts:
        cached = self._blob_facts.get(blob)
        if cached is None:
            cached = BlobFacts(self.view, blob, self._opened)
            self._blob_facts.put(blob, cached)
        return cached

    def is_out_of_time(self) -> bool:
        """Whether the time for filters is used up; adds a note if so."""
        if not self.notes and self._budget.is_over():
            self.notes.append(OUT_OF_TIME.format(self.opened_blobs, LONGEST_S))
        return bool(self.notes)

    @property
    def opened_blobs(self) -> int:
        """Blobs whose facts were unpacked."""
        return self._opened.count
