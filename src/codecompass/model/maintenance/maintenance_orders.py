"""Maintenance requests and their reports: build, compact, garbage collection, bootstrap, state bundles."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from codecompass.model.job import Job
from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.queries.results import ViewState
from codecompass.model.queries.vector_state import SemanticState
from codecompass.model.states import MODES, TextMode


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Build an index and wait for it."""

    ref: str | None = None
    modes: tuple[TextMode, ...] = MODES
    """Kinds of text to count in the report and to write to the SQLite file; the index contains all of them."""
    incremental: bool = False
    """Parse only changed files."""
    sqlite: bool = True
    artifacts: str | None = None
    """Directory of a bundle to start from; None to start from the current index."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The result of a build."""

    root: str
    job: Job
    state: ViewState
    counts: Mapping[str, int]
    durations: Mapping[str, int]
    """Milliseconds by phase."""
    restored: bool = False
    """The build started from a bundle."""
    portable: PortableReport | None = None
    warnings: tuple[str, ...] = ()
    vectors: SemanticState = SemanticState("off")
    """State of the view's vectors when the build ended."""


@dataclass(frozen=True, slots=True)
class CompactRequest:
    modes: tuple[TextMode, ...] = MODES
    dry_run: bool = False
    keep_backup: bool = False


@dataclass(frozen=True, slots=True)
class CompactedDatabase:
    """One database before and after compaction."""

    part: str
    path: str
    status: str
    """`compacted`, `planned` or `missing`."""
    before: int = 0
    after: int = 0
    rows: int = 0
    """Rows of all tables, equal before and after."""
    backup: str = ""


@dataclass(frozen=True, slots=True)
class CompactReport:
    root: str
    dry_run: bool
    parts: tuple[CompactedDatabase, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GcRequest:
    """Limits for the data of all projects; without limits only orphaned data is removed."""

    max_bytes: int | None = None
    max_age_days: float | None = None
    dry_run: bool = True


@dataclass(frozen=True, slots=True)
class CleanRequest:
    everything: bool = False
    """All projects, not only the named one."""
    dry_run: bool = False
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class GcRemoval:
    """Derived data of one project that was removed, or would be in a dry run."""

    id: str
    path: str
    bytes: int
    reason: str
    root: str = ""
    """The repository, if the caller may see it."""


@dataclass(frozen=True, slots=True)
class SkippedProject:
    """A project that was kept although it exceeds the limits."""

    id: str
    reason: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class GcReport:
    root: str
    data_directory: str
    dry_run: bool
    projects: int
    bytes: int
    """Derived data of all projects before removal."""
    removals: tuple[GcRemoval, ...] = ()
    spared: tuple[SkippedProject, ...] = ()
    failed: tuple[SkippedProject, ...] = ()

    @property
    def freed(self) -> int:
        """Bytes removed, or that would be in a dry run."""
        return sum(item.bytes for item in self.removals)


@dataclass(frozen=True, slots=True)
class BootstrapRequest:
    ref: str | None = None
    skipped: frozenset[str] = frozenset()
    """Names of steps to skip."""
    incremental: bool = True
    sqlite: bool = False


@dataclass(frozen=True, slots=True)
class BootstrapStep:
    """One step of a bootstrap."""

    name: str
    status: str
    """`done`, `skipped` or `failed`."""
    reason: str = ""
    ms: int = 0


@dataclass(frozen=True, slots=True)
class BootstrapReport:
    root: str
    steps: tuple[BootstrapStep, ...]
    restored: bool = False

    @property
    def ok(self) -> bool:
        """Whether all required steps were done."""
        return not any(step.status == "failed" and step.name in ("environment", "index") for step in self.steps)


@dataclass(frozen=True, slots=True)
class StateBundleReport:
    """The result of exporting or importing a state bundle."""

    path: str
    bytes: int
    manifest: Mapping[str, object] = field(default_factory=dict)
    job: Job | None = None
    """The sync job after an import."""
    notes: tuple[str, ...] = ()
    """Human-readable notes about parts of the bundle that could not be used."""
