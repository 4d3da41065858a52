"""What the engine answers: hits with the numbers that ranked them, outlines, and the state of a view."""

from dataclasses import dataclass, field

from codecompass.model.code.coverage import Gap
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic, Traits
from codecompass.model.history_facts import FileHistory
from codecompass.model.job import Job
from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.queries.vector_state import SemanticState, WordsState


@dataclass(frozen=True, slots=True)
class ViewState:
    """How far the answer can be trusted; the six fields of the compass metadata come from it."""

    ref: str
    freshness: str
    """`fresh`, `stale` or `syncing`."""
    indexing: str
    """`not_indexed`, `indexing`, `ready` or `failed`."""
    schema: str
    """`compatible`, `not_indexed`, `reindex_required` or `corrupt_manifest`."""
    generation: int = 0
    indexed_commit: str = ""
    current_head: str = ""
    indexed_at: str = ""
    warnings: tuple[str, ...] = ()
    partial: bool = False
    """Something of the view could not be searched; a warning says what."""
    gaps: tuple[Gap, ...] = ()
    """Files of the view that are indexed only in part."""


@dataclass(frozen=True, slots=True)
class SymbolPlace:
    """Where a neighbouring symbol stands."""

    kind: str
    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Reasons:
    """The features behind a score, each as it entered the sum."""

    exact_match_boost: float = 0.0
    qualified_name_boost: float = 0.0
    path_affinity: float = 0.0
    definition_boost: float = 0.0
    kind_match: float = 0.0
    bm25_score: float = 0.0
    final_score: float = 0.0
    semantic_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Factor:
    """One feature of a score: what was measured, what it weighs, and what it brought."""

    name: str
    value: float
    weight: float
    contribution: float
    parts: "tuple[Factor, ...]" = ()
    """What the value was made of: the sum of these contributions."""


@dataclass(frozen=True, slots=True)
class HitFacts:
    """What is known of a result beyond what every answer shows; made only where it is asked for."""

    byte_start: int = 0
    """Offsets count UTF-8 bytes of the text as it was indexed."""
    byte_end: int = 0
    doc: str = ""
    before: tuple[str, ...] = ()
    """Lines of the source right before it."""
    lines: tuple[str, ...] = ()
    """Its own lines, between them; of a long one those around the line that matches best."""
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
    """One result. Empty strings and empty tuples mean: not applicable, leave the field out."""

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
    """(path, line) of the re-exports that led to a located symbol."""
    snippet: str = ""
    """One line of the source, for snippet results."""
    body_preview: str = ""
    parent: SymbolPlace | None = None
    related: tuple[SymbolPlace, ...] = ()
    facts: HitFacts | None = None
    factors: tuple[Factor, ...] = ()
    """What the score was made of, where that is not a blend of reasons: of records."""


@dataclass(frozen=True, slots=True)
class Hits:
    """A ranked answer and what was left out of it."""

    hits: tuple[Hit, ...]
    total: int
    state: ViewState
    intent: str = ""
    relaxed: bool = False
    """No document had all words of the query, so any of them counted."""
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    """What the caller should know about how the query was read or how far it was answered."""
    complete: bool = True
    """`total` is exact; otherwise there are at least so many."""
    vectors: bool = False
    """The view has vectors, which a search may compare."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One result of a search and what its score was made of."""

    hit: Hit
    factors: tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a result stands in the answer to a query, and why."""

    standing: Standing
    rank: int
    """Counted from 1."""
    total: int
    intent: str
    formula: str
    above: Standing | None
    """The result just before it; None for the first."""
    state: ViewState


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """One symbol of a file with what it holds."""

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
    """Jobs that ended without saying so: their process died."""

    interrupted_jobs: int
    last_interrupted_at: str
    recommended_action: str


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """One project as `index_status` and `health_check` show it."""

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
    """`text` or `catalog` when that part of the index cannot be used."""
    is_repository: bool = False
    branch: str = ""
    """What is checked out, if anything is."""
    modes: dict[str, int] = field(default_factory=dict)
    """Indexed files of each mode."""
    portable: PortableReport | None = None
    """The project's own portable file, where it was looked at."""
    semantic: SemanticState = SemanticState("off")
    """Whether the view can be searched by meaning, where that was looked at."""
    records_damage: str = ""
    """What is wrong with the records of triage and what to do about it, where that was looked at."""
    words: WordsState = WordsState("off")
    """Whether it can be searched by words."""


@dataclass(frozen=True, slots=True)
class Health:
    """The whole engine at one moment."""

    status: str
    """`ready`, `warming`, `indexing` or `error`."""
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
class Check:
    """One line of `doctor`: what was looked at, how it is, and the command that repairs it."""

    name: str
    status: str
    """`ok`, `warn` or `fail`."""
    detail: str
    remedy: str = ""
