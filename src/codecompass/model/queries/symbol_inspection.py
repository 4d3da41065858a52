"""Symbol inspection: all facts about one symbol, and the diagnostics of files."""

from dataclasses import dataclass

from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic, Traits
from codecompass.model.history_facts import FileHistory, LineAuthors
from codecompass.model.queries.navigation_queries import SymbolNode, SymbolTarget
from codecompass.model.queries.results import ViewState
from codecompass.model.states import FreshnessPolicy


@dataclass(frozen=True, slots=True)
class InspectQuery:
    target: SymbolTarget
    ref: str | None = None
    freshness: FreshnessPolicy = "balanced"
    authors: bool = False
    """Also return the authors of its lines, which requires the file's history."""


@dataclass(frozen=True, slots=True)
class SymbolInspection:
    """One symbol with all its facts."""

    symbol: SymbolNode
    visibility: str
    doc: str
    decorators: tuple[str, ...]
    traits: Traits
    diagnostics: tuple[Diagnostic, ...]
    """Messages of parser and linter about its lines."""
    risks: Risks
    """Sources, sinks and flows inside it."""
    linted: bool
    """Whether a linter checked its file."""
    history: FileHistory
    authors: LineAuthors | None
    others: tuple[SymbolNode, ...]
    """Other symbols that match the target."""
    state: ViewState


@dataclass(frozen=True, slots=True)
class FileDiagnostic:
    """One message about a file, and the innermost enclosing definition."""

    path: str
    message: Diagnostic
    inside: str


@dataclass(frozen=True, slots=True)
class DiagnosticReport:
    """Messages of parsers and linters about the files of a view."""

    rows: tuple[FileDiagnostic, ...]
    total: int
    by_code: dict[str, int]
    files: int
    """Number of files examined."""
    state: ViewState
