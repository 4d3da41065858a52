"""Upkeep: what may be asked of the care of an index, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from codecompass.model.code.modes import MODES
from codecompass.model.job import Job
from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.queries.results import ViewState
from codecompass.model.queries.vector_state import SemanticState


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """An index to be built and waited for."""

    ref: str | None = None
    modes: tuple[str, ...] = MODES
    """Kinds of text that the answer counts and the SQLite file holds; the index itself holds all of them."""
    incremental: bool = False
    """Only what changed is parsed."""
    sqlite: bool = True
    artifacts: str | None = None
    """A directory with a bundle to begin from; None to begin from what is here."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    root: str
    job: Job
    state: ViewState
    counts: Mapping[str, int]
    durations: Mapping[str, int]
    """Milliseconds of each part."""
    restored: bool = False
    """It began from a bundle."""
    portable: PortableReport | None = None
    warnings: tuple[str, ...] = ()
    vectors: SemanticState = SemanticState("off")
    """How far the vectors of the view went when the build ended."""


@dataclass(frozen=True, slots=True)
class CompactOrder:
    modes: tuple[str, ...] = MODES
    dry_run: bool = False
    keep_backup: bool = False


@dataclass(frozen=True, slots=True)
class Compacted:
    """One database before and after."""

    part: str
    path: str
    status: str
    """`compacted`, `planned` or `missing`."""
    before: int = 0
    after: int = 0
    rows: int = 0
    """Rows of all tables, equal in both."""
    backup: str = ""


@dataclass(frozen=True, slots=True)
class CompactReport:
    root: str
    dry_run: bool
    parts: tuple[Compacted, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SweepOrder:
    """Limits for what is kept of all projects; without any only what belongs to nothing goes."""

    max_bytes: int | None = None
    max_age_days: float | None = None
    dry_run: bool = True


@dataclass(frozen=True, slots=True)
class CleanOrder:
    everything: bool = False
    """Every project, not only the one that was named."""
    dry_run: bool = False
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Removal:
    """Derived data of one project that went, or would go."""

    id: str
    path: str
    bytes: int
    reason: str
    root: str = ""
    """The repository, where whoever asks may know it."""


@dataclass(frozen=True, slots=True)
class Spared:
    """A project that was left alone although the limits ask for it."""

    id: str
    reason: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class SweepReport:
    root: str
    data_directory: str
    dry_run: bool
    projects: int
    bytes: int
    """Derived data of all projects before anything went."""
    removals: tuple[Removal, ...] = ()
    spared: tuple[Spared, ...] = ()
    failed: tuple[Spared, ...] = ()

    @property
    def freed(self) -> int:
        """Bytes that went; of a dry run, that would."""
        return sum(item.bytes for item in self.removals)


@dataclass(frozen=True, slots=True)
class BootstrapOrder:
    ref: str | None = None
    skipped: frozenset[str] = frozenset()
    """Names of steps that are not wanted."""
    incremental: bool = True
    sqlite: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a bootstrap."""

    name: str
    status: str
    """`done`, `skipped` or `failed`."""
    reason: str = ""
    ms: int = 0


@dataclass(frozen=True, slots=True)
class BootstrapReport:
    root: str
    steps: tuple[Step, ...]
    restored: bool = False

    @property
    def ok(self) -> bool:
        """Every step that the rest needs was done."""
        return not any(step.status == "failed" and step.name in ("environment", "index") for step in self.steps)


@dataclass(frozen=True, slots=True)
class StateReport:
    """A bundle that was written or read."""

    path: str
    bytes: int
    manifest: Mapping[str, object] = field(default_factory=dict)
    job: Job | None = None
    """The sync that followed an import."""
    notes: tuple[str, ...] = ()
    """What of a bundle could not be used, in words for people."""
