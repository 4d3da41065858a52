"""Exposure: what an answer about risks holds."""

from dataclasses import dataclass, field
from typing import NamedTuple

from codecompass.model.queries.results import ViewState


@dataclass(frozen=True, slots=True)
class RiskQuery:
    """Which risks are wanted."""

    paths: tuple[str, ...] = ()
    """Files or directories; empty for all."""
    category: str | None = None
    min_severity: str = "low"
    ref: str | None = None
    limit: int = 500
    freshness: str = "best_effort"


FINDING_ROLES = ("", "test", "documentation")
"""What the file of a finding is for, in the order in which findings are listed; empty for ordinary code."""


class Finding(NamedTuple):
    """Something to look at: a value that reaches a sink, or a sink that is a finding by itself."""

    path: str
    line: int
    col: int
    symbol: str
    """The innermost definition around the sink."""
    sink: str
    rule: str
    category: str
    severity: str
    cwe: int
    tags: tuple[str, ...]
    confidence: float
    scope: str
    """`place` for a sink by itself, `local`, `call` or `cross-file` for a flow."""
    source: str = ""
    source_path: str = ""
    source_line: int = 0
    source_col: int = 0
    via: tuple[str, ...] = ()
    role: str = ""
    """One of FINDING_ROLES."""


@dataclass(frozen=True, slots=True)
class RiskReport:
    """Findings, the worst first, those in tests and documents last; with the numbers of all."""

    findings: tuple[Finding, ...]
    total: int
    severities: dict[str, int]
    categories: dict[str, int]
    scopes: dict[str, int]
    files: int
    """Files that were looked at."""
    capped: tuple[str, ...]
    """Files of which a limit left something out; a `*` says that not every call was followed."""
    state: ViewState
    roles: dict[str, int] = field(default_factory=dict)
    """How many findings are in tests and in documents."""
