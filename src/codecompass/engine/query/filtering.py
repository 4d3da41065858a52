"""Filtering: which candidates of a search pass its filters, found without looking at more than is needed.

First the files: what a path, its mode and its last commit say. Then the blobs: the digest of each and the letters it
holds name those in which something may pass. Where these are few, the text index is asked for nothing else, so that the
rarest definition is found however common the words are. What is left is tested one by one, in the order of rank, until
enough have passed; asking git for the authors of lines comes last of all.
"""

import time
from bisect import bisect_left
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from codecompass.engine.query.candidates import Candidate
from codecompass.engine.query.facets import WRITTEN, facet_query, written_parts
from codecompass.engine.query.modes import CODE, EXTRACTED
from codecompass.engine.query.paths import PathIndex
from codecompass.engine.query.predicates import PREDICATES, Setting, ready
from codecompass.engine.query.units import OUTSIDE, Dossier, GitSide, OpenedCount, Unit
from codecompass.engine.view import PinnedView
from codecompass.model.call import Call
from codecompass.model.code import Facts
from codecompass.model.facets import FacetQuery
from codecompass.model.filters import BY_FIELD, Filters, Value
from codecompass.model.kinds import FILE

FEW = 1_000
"""So many blobs are always named to the text index."""
SHARE = 0.5
"""So is this share of a view; beyond it naming them costs more than testing."""
_OF_PATHS = ("path", "file", "ext", "author", "modifiedAfter", "modifiedSince")
"""Settled for whole files before any fact is read, the cheapest first."""
_LATE = ("chunkAuthor",)
LONGEST_S = 2.0
"""Seconds of one search for testing what filters let pass, whatever the size of the view."""
OUT_OF_TIME = (
    "The filters looked into {} files in {:.0f} seconds and left the rest; add words to the query, or a path, "
    "to have the rest looked at."
)
_DOSSIERS_KEPT = 256
_SETTLED_KEPT = 50_000
"""Bounds of what one search holds in memory, whatever the size of the view."""
_LETTERS = 3
"""Names of one value that are looked for in the files."""


@dataclass(frozen=True, slots=True)
class Check:
    """One filter made ready."""

    field: str
    value: Any
    wanted: bool
    """False: it must not hold."""

    def holds(self, unit: Unit) -> bool:
        return holds(self.field, unit, self.value) is self.wanted


def holds(name: str, unit: Unit, value: Any) -> bool:  # noqa: ANN401 - what the predicate takes
    """Whether a filter holds; of a whole file only what belongs to files can."""
    if unit.whole and BY_FIELD[name].scope != "file" and name != "type":
        return False
    return PREDICATES[name](unit, value)


@dataclass
class Sieve:
    """The filters and the mode of one search on one view."""

    view: PinnedView
    paths: PathIndex
    filters: Filters
    without: Filters
    mode: str
    setting: Setting
    git: GitSide
    call: Call
    within: frozenset[str] | None = None
    """Paths that may answer; None for all."""
    blobs: frozenset[int] | None = None
    """Blobs in which something may pass; None for all."""
    only: frozenset[int] | None = None
    """The same where it is worth telling the text index."""
    _opened: OpenedCount = field(default_factory=OpenedCount)
    """Blobs whose facts were looked into."""
    _checks: tuple[Check, ...] = ()
    _late: tuple[Check, ...] = ()
    _sifted: bool = False
    """Some files of `within` hold nothing that passes."""
    _dossiers: dict[int, Dossier] = field(default_factory=dict)
    _settled: dict[tuple[str, int, int], bool] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What the caller should know of how far the filters were answered."""
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        every = [
            Check(row.field, ready(row.field, value, self.setting), wanted)
            for filters, wanted in ((self.filters, True), (self.without, False))
            for row, value in filters
        ]
        self._checks = tuple(check for check in every if check.field not in (*_OF_PATHS, *_LATE))
        self._late = tuple(check for check in every if check.field in _LATE)
        self._settle_paths([check for name in _OF_PATHS for check in every if check.field == name])
        self._settle_blobs()

    # -- what is asked ---------------------------------------------------------------------------------------------

    @property
    def is_active(self) -> bool:
        """Whether anything is filtered at all."""
        return bool(self.filters or self.without or self.mode)

    @property
    def prose(self) -> bool:
        """Only comments and documentation are looked into."""
        return self.mode == EXTRACTED

    @property
    def of_definitions(self) -> bool:
        """Whether something is asked of definitions, so that they are what is found and not pieces of text."""
        return any(BY_FIELD[check.field].scope != "file" for check in (*self._checks, *self._late))

    @property
    def of_files(self) -> bool:
        """Whether a whole file can pass."""
        asked = [row for row, _ in self.filters if row.scope != "file"]
        kinds = self.filters.get("type")
        return not self.prose and all(row.field == "type" for row in asked) and (
            kinds is None or (isinstance(kinds, tuple) and FILE in kinds)
        )  # fmt: skip

    @property
    def is_late(self) -> bool:
        return bool(self._late)

    # -- files and blobs -------------------------------------------------------------------------------------------

    def _settle_paths(self, checks: list[Check]) -> None:
        chosen: Iterable[str] = self.paths.paths
        if self.mode:
            wanted = (CODE, EXTRACTED) if self.prose else (self.mode,)
            self.within, self.blobs = self.paths.of_modes(self.view, wanted)
            chosen = self.within
        for check in checks:
            self.call.check()
            chosen = [path for path in chosen if check.holds(self._file(path))]
        if checks:
            self.within = frozenset(chosen)
            self.blobs = frozenset(self.view.entries[path].blob for path in self.within)

    def _settle_blobs(self) -> None:
        if any(row.scope == "record" for row, _ in self.filters):
            # No file has the fields of a record, so none need be opened to find that out.
            self.within, self.blobs, self.only = frozenset(), frozenset(), frozenset()
            return
        here = self.view.paths
        known: AbstractSet[int] | None = self.blobs
        asked = facet_query(self.filters)
        languages = next((check.value for check in self._checks if check.field == "lang" and check.wanted), ())
        asked = replace(asked, languages=tuple(sorted(languages)))
        if asked != FacetQuery():
            found = self.view.snapshot.blobs_like(asked) & here.keys()
            known = found if known is None else known & found
        most = max(FEW, int(len(here) * SHARE))
        for word in self._written():
            containing = self.view.snapshot.blobs_containing(word, self.view.row, most)
            if containing is not None:
                known = containing if known is None else known & containing
        self._sifted = known is not self.blobs
        if known is not None:
            self.blobs = known if isinstance(known, frozenset) else frozenset(known)
            # Naming those that may not answer does as well where they are fewer.
            self.only = self.blobs if min(len(known), len(here) - len(known)) <= most else None

    def _written(self) -> Iterable[str]:
        """Names that stand in every file in which something passes."""
        for name in WRITTEN:
            value = self.filters.get(name)
            if isinstance(value, str):
                yield from written_parts(value)[:_LETTERS]

    # -- candidates ------------------------------------------------------------------------------------------------

    @cached_property
    def admitted(self) -> frozenset[str]:
        """The files in which something may pass."""
        if self.within is not None and not self._sifted:
            return self.within
        return frozenset(path for path in self.paths.paths if self.admits(path))

    def admits(self, path: str) -> bool:
        """Whether something in a file may pass, before its facts are read."""
        if self.within is not None and path not in self.within:
            return False
        return self.blobs is None or self.view.entries[path].blob in self.blobs

    def prepare(self, paths: Iterable[str]) -> None:
        """Files that will be tested now: what is cheaper for many at once is done at once."""
        if any(check.field == "churnMin" for check in self._checks):
            self.git.count(sorted({path for path in paths if self.admits(path)}))

    def keeps(self, candidate: Candidate) -> bool:
        """Whether a candidate passes, but for what `proves` asks."""
        if not self.admits(candidate.path):
            return False
        if not self._checks:
            return True
        owner = self.owner(candidate)
        key = (candidate.path, owner, candidate.ordinal if owner == OUTSIDE else -1)
        known = self._settled.get(key)
        if known is None:
            self.call.check()
            unit = self.unit(candidate)
            if len(self._settled) >= _SETTLED_KEPT:
                self._settled.clear()
            known = self._settled[key] = all(check.holds(unit) for check in self._checks)
        return known

    def proves(self, candidate: Candidate) -> bool:
        """The filters that take a question to git for each file; asked only of what passed everything else."""
        unit = self.unit(candidate)
        self.call.check()
        return all(check.holds(unit) for check in self._late)

    def holds(self, name: str, value: Value, candidate: Candidate) -> bool:
        """Whether one more filter holds for a candidate, for those that stand between operators."""
        return holds(name, self.unit(candidate), ready(name, value, self.setting))

    def owner(self, candidate: Candidate) -> int:
        """The definition whose facts count for a candidate."""
        if candidate.position >= 0 or candidate.whole_file:
            return candidate.position if candidate.position >= 0 else -2
        return self._dossier(self.view.entries[candidate.path].blob).facts.chunks[candidate.ordinal].owner

    def unit(self, candidate: Candidate) -> Unit:
        if candidate.whole_file:
            return self._file(candidate.path)
        dossier = self._dossier(self.view.entries[candidate.path].blob)
        owner = self.owner(candidate)
        part = dossier.facts.definitions[owner] if owner >= 0 else dossier.facts.chunks[candidate.ordinal]
        return Unit(candidate.path, dossier, self.git, owner, part.line_start, part.line_end)

    def _file(self, path: str) -> Unit:
        return Unit(path, self._dossier(self.view.entries[path].blob), self.git, OUTSIDE, 1, 0, whole=True)

    def facts(self, blob: int) -> Facts:
        return self._dossier(blob).facts

    def named_within(self, blob: int, first: int, last: int) -> list[int]:
        """Positions of the definitions whose names stand on these lines."""
        lines = self._dossier(blob).names
        return [at for _, at in lines[bisect_left(lines, (first, -1)) : bisect_left(lines, (last + 1, -1))]]

    def _dossier(self, blob: int) -> Dossier:
        known = self._dossiers.get(blob)
        if known is None:
            if len(self._dossiers) >= _DOSSIERS_KEPT:
                del self._dossiers[next(iter(self._dossiers))]
            known = self._dossiers[blob] = Dossier(self.view, blob, self._opened)
        return known

    def is_out_of_time(self) -> bool:
        """Whether testing took so long that the answer must do with what it has; a note says so."""
        if not self.notes and time.monotonic() - self._began > LONGEST_S:
            self.notes.append(OUT_OF_TIME.format(self.opened, LONGEST_S))
        return bool(self.notes)

    @property
    def opened(self) -> int:
        """Blobs whose facts were unpacked."""
        return self._opened.count
