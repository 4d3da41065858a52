"""Search results with their scores, outlines, view state, project status and health."""

from dataclasses import dataclass, field
from typing import Literal

from codecompass.model.code.coverage import CoverageGap
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic, Traits
from codecompass.model.history_facts import FileHistory
from codecompass.model.job import Job
from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.queries.vector_state import SemanticState, TextIndexState
from codecompass.model.states import CheckStatus, FreshnessState, HealthState, IndexingState, Intent, SchemaState


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far the first index of a view is."""

    ready: int
    """Files that answers know."""
    done: int
    """Files that the running job has finished, published or not."""
    total: int
    """All files, as far as they are counted; 0 until then."""

    @property
    def percent(self) -> int:
        """The share of finished files; below 100, because something is missing."""
        return min(99, self.done * 100 // self.total) if self.total else 0


@dataclass(frozen=True, slots=True)
class ViewState:
    """The state of the queried view; source of the six fields of the compass metadata."""

    ref: str
    freshness: FreshnessState
    indexing: IndexingState
    schema: SchemaState
    generation: int = 0
    indexed_commit: str = ""
    current_head: str = ""
    indexed_at: str = ""
    warnings: tuple[str, ...] = ()
    partial: bool = False
    """Part of the view could not be searched; a warning describes it."""
    gaps: tuple[CoverageGap, ...] = ()
    """Files of the view that are only partly indexed."""
    progress: IndexProgress | None = None
    """Set while the first index is not finished."""


@dataclass(frozen=True, slots=True)
class SymbolLocation:
    """The location of a related symbol."""

    kind: str
    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Reasons:
    """The features of a score, each as its contribution to the sum."""

    exact_match_boost: float = 0.0
    qualified_name_boost: float = 0.0
    path_affinity: float = 0.0
    definition_boost: float = 0.0
    kind_match: float = 0.0
    bm25_score: float = 0.0
    final_score: float = 0.0
    semantic_score: float = 0.0


@dataclass(frozen=True, slots=True)
class ScoreFactor:
    """One feature of a score: value, weight and contribution."""

    name: str
    value: float
    weight: float
    contribution: float
    parts: "tuple[ScoreFactor, ...]" = ()
    """Components whose contributions sum up to the value."""


@dataclass(frozen=True, slots=True)
class HitDetails:
    """Additional details of a hit; built only on request."""

    byte_start: int = 0
    """Offsets are UTF-8 bytes of the indexed text."""
    byte_end: int = 0
    doc: str = ""
    before: tuple[str, ...] = ()
    """Source lines before it."""
    lines: tuple[str, ...] = ()
    """Its own lines; for a long hit those around the best matching line."""
    lines_skipped: int = 0
    """Lines of the hit before those; the first of them then says so instead of being one."""
    after: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    traits: Traits | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    risks: Risks = Risks()
    history: FileHistory | None = None
    record: tuple[tuple[str, object], ...] = ()
    """The short fields of a triage record."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. Empty strings and tuples mean not applicable; omit the field."""

    result_type: str
    """`symbol`, `snippet`, `file` or `record`."""
    result_id: str
    path: str
    line_start: int
    line_end: int
    language: str
    score: float
    reasons: Reasons
    kind: str = ""
    name: str = ""
    qualified_name: str = ""
    signature: str = ""
    visibility: str = ""
    symbol_id: str = ""
    symbol_stable_id: str = ""
    tier: str = ""
    """For located symbols: `exact`, `case_insensitive`, `qualified_suffix`, `prefix` or `reexported`."""
    reached_by: tuple[tuple[str, int], ...] = ()
    """(path, line) of the re-exports through which a symbol was located."""
    snippet: str = ""
    """One source line, for snippet results."""
    body_preview: str = ""
    parent: SymbolLocation | None = None
    related: tuple[SymbolLocation, ...] = ()
    facts: HitDetails | None = None
    factors: tuple[ScoreFactor, ...] = ()
    """The score factors of a record, whose score is not a sum of `reasons`."""


@dataclass(frozen=True, slots=True)
class Hits:
    """A ranked result list with its total and completeness."""

    hits: tuple[Hit, ...]
    total: int
    state: ViewState
    intent: Intent | Literal[""] = ""
    relaxed: bool = False
    """No document contained all query words, so any word matched."""
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    """Notes for the caller about the interpretation of the query or its completeness."""
    complete: bool = True
    """`total` is exact; otherwise it is a lower bound."""
    vectors: bool = False
    """The view has vectors for semantic search."""
    near: tuple[str, ...] = ()
    """Names of definitions that are spelled like the requested one, if there is none of it."""


@dataclass(frozen=True, slots=True)
class RankedHit:
    """One search result with its score factors."""

    hit: Hit
    factors: tuple[ScoreFactor, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The rank of a result for a query, and the reasons."""

    standing: RankedHit
    rank: int
    """Counted from 1."""
    total: int
    intent: Intent
    formula: str
    above: RankedHit | None
    """The next better result; None for the first."""
    state: ViewState


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """One symbol of a file with its members."""

    kind: str
    name: str
    line_start: int
    line_end: int
    signature: str = ""
    visibility: str = ""
    symbol_id: str = ""
    symbol_stable_id: str = ""
    qualified_name: str = ""
    children: tuple["OutlineNode", ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The symbols of one file, nested."""

    path: str
    language: str
    nodes: tuple[OutlineNode, ...]
    symbol_count: int
    state: ViewState
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class RecoveryReport:
    """Jobs that were interrupted because their process died."""

    interrupted_jobs: int
    last_interrupted_at: str
    recommended_action: str


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """The status of one project, for `index_status` and `health_check`."""

    project_id: str
    repo_root: str
    state: ViewState
    schema_version: int
    required_schema_version: int
    file_count: int
    symbol_count: int
    active_job: Job | None
    recent_jobs: tuple[Job, ...]
    recovery: RecoveryReport | None
    refs: tuple[str, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)
    index_bytes: int = 0
    damaged: str = ""
    """`text` or `catalog` if that part of the index is unusable."""
    is_repository: bool = False
    branch: str = ""
    """The current branch, if any."""
    modes: dict[str, int] = field(default_factory=dict)
    """Number of indexed files by mode."""
    portable: PortableReport | None = None
    """The project's own portable file, if it was checked."""
    semantic: SemanticState = SemanticState("off")
    """The state of semantic search for the view, if it was checked."""
    records_damage: str = ""
    """Problem with the triage records and its remedy, if they were checked."""
    words: TextIndexState = TextIndexState("off")
    """The state of the text index."""


@dataclass(frozen=True, slots=True)
class Health:
    """The health of the engine."""

    status: HealthState
    version: str
    uptime_seconds: int
    tantivy_ok: bool
    sqlite_ok: bool
    grammars_available: tuple[str, ...]
    grammars_missing: tuple[str, ...]
    prewarm_status: str
    projects: tuple[ProjectStatus, ...]
    warmset: tuple[str, ...] = ()
    warmset_capacity: int = 3
    message: str = ""


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One check of `doctor`: its subject, its status, and the command that repairs it."""

    name: str
    status: CheckStatus
    detail: str
    remedy: str = ""
