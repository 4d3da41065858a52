"""Risk report: the query and the findings of taint analysis."""

from dataclasses import dataclass, field
from typing import NamedTuple

from codecompass.model.queries.results import ViewState
from codecompass.model.states import FreshnessPolicy, Severity


@dataclass(frozen=True, slots=True)
class RiskQuery:
    """Filters for risk findings."""

    paths: tuple[str, ...] = ()
    """Files or directories; empty for all."""
    category: str | None = None
    min_severity: Severity = "low"
    ref: str | None = None
    limit: int = 500
    freshness: FreshnessPolicy = "best_effort"


FINDING_ROLES = ("", "test", "documentation")
"""Roles of a finding's file, in the order in which findings are listed; empty for ordinary code."""


class RiskFinding(NamedTuple):
    """One finding: a flow into a sink, or a sink that is a finding by itself."""

    path: str
    line: int
    col: int
    symbol: str
    """The innermost definition that contains the sink."""
    sink: str
    rule: str
    category: str
    severity: Severity
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
    """Findings, most severe first, those in tests and documents last; with total counts."""

    findings: tuple[RiskFinding, ...]
    total: int
    severities: dict[str, int]
    categories: dict[str, int]
    scopes: dict[str, int]
    files: int
    """Number of files examined."""
    capped: tuple[str, ...]
    """Files for which a limit was reached; `*` means that not every call was followed."""
    state: ViewState
    roles: dict[str, int] = field(default_factory=dict)
    """Number of findings in tests and in documents."""
