"""Risk order: deduplicate and sort risk findings, worst first, tests and documentation after ordinary code."""

from collections.abc import Iterable

from codecompass.engine.search.paths.path_roles import is_test
from codecompass.engine.view.file_modes import CODE, detect_mode
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.queries.risk_report import FINDING_ROLES, RiskFinding
from codecompass.model.states import SEVERITIES


def get_finding_role(view: PinnedView, path: str) -> str:
    """Return `test`, `documentation`, or empty for ordinary code."""
    if is_test(path):
        return "test"
    mode = detect_mode(path, view.language_of(path), looks_like_records=False)
    return "" if mode == CODE else "documentation"


def order_findings(findings: Iterable[RiskFinding]) -> list[RiskFinding]:
    """Sort findings without duplicates; of several flows from one source to one sink, keep the most confident."""
    best: dict[tuple[object, ...], RiskFinding] = {}
    for item in findings:
        known = best.get(_dedup_key(item))
        if known is None or _sort_weight(item) < _sort_weight(known):
            best[_dedup_key(item)] = item
    return sorted(best.values(), key=lambda item: (FINDING_ROLES.index(item.role), _sort_weight(item)[0], item))


def _dedup_key(item: RiskFinding) -> tuple[object, ...]:
    """Return the key of duplicates: the same rule at the same location, from the same source."""
    return item.path, item.line, item.col, item.rule, item.source_path, item.source_line, item.source_col


def _sort_weight(item: RiskFinding) -> tuple[int, float, int, RiskFinding]:
    return -SEVERITIES.index(item.severity), -item.confidence, len(item.via), item
