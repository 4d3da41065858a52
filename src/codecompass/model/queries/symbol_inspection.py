"""Inspection: all that is known of one symbol, and what is wrong in files."""

from dataclasses import dataclass

from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic, Traits
from codecompass.model.history_facts import FileHistory, LineAuthors
from codecompass.model.queries.navigation_queries import SymbolNode, Target
from codecompass.model.queries.results import ViewState


@dataclass(frozen=True, slots=True)
class InspectQuery:
    target: Target
    ref: str | None = None
    freshness: str = "balanced"
    authors: bool = False
    """Also say who wrote its lines, which costs a reading of the file's history."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """One symbol with its facts."""

    symbol: SymbolNode
    visibility: str
    doc: str
    decorators: tuple[str, ...]
    traits: Traits
    diagnostics: tuple[Diagnostic, ...]
    """What parser and linter say of its lines."""
    risks: Risks
    """Sources, sinks and flows inside it."""
    linted: bool
    """Whether a linter looked at its file."""
    history: FileHistory
    authors: LineAuthors | None
    others: tuple[SymbolNode, ...]
    """Further symbols the question could have meant."""
    state: ViewState


@dataclass(frozen=True, slots=True)
class Trouble:
    """One message about a file, and the innermost definition it stands in."""

    path: str
    message: Diagnostic
    inside: str


@dataclass(frozen=True, slots=True)
class Troubles:
    """What parsers and linters say of a view's files."""

    rows: tuple[Trouble, ...]
    total: int
    by_code: dict[str, int]
    files: int
    """Files that were looked through."""
    state: ViewState
