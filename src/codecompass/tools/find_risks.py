"""Tool `find_risks`: flows of untrusted values to dangerous calls, and calls dangerous by themselves."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import (
    UNSET,
    Cursor,
    FilePath,
    FreshnessPolicy,
    Limit,
    Ref,
    UnsetType,
    Workspace,
    unset_to_none,
)
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.queries.risk_report import RiskFinding, RiskQuery
from codecompass.model.states import Severity
from codecompass.tools.shapes.hit_shapes import COLUMN_BASE
from codecompass.tools.shapes.paging import open_page
from codecompass.tools.shapes.symbol_params import ERRORS, build_lists_answer

MAX_CAPPED = 20
Category = Annotated[str, Meta(min_length=1, max_length=60, description="sql, command, path, ssrf, …")]


class FindRisksParams(Params, frozen=True, kw_only=True):
    path: FilePath | UnsetType = UNSET
    category: Category | UnsetType = UNSET
    min_severity: Severity = "low"
    ref: Ref | UnsetType = UNSET
    limit: Limit = 50
    cursor: Cursor | UnsetType = UNSET
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: FindRisksParams) -> Answer:
    page = open_page(host, call, params, params.limit)
    path = unset_to_none(params.path)
    query = RiskQuery(
        paths=(path,) if path else (),
        category=unset_to_none(params.category),
        min_severity=params.min_severity,
        ref=unset_to_none(params.ref),
        limit=page.end,
        freshness=unset_to_none(params.freshness_policy) or host.defaults.freshness_policy,
    )
    found = host.engine.risks(unset_to_none(params.workspace), query, call)
    head: dict[str, Any] = {
        "total": found.total,
        "files": found.files,
        "severities": found.severities,
        "categories": found.categories,
        "scopes": found.scopes,
    }
    if found.roles:
        head["roles"] = found.roles
    if found.capped:
        # Files in which an analysis limit was reached.
        head["capped"] = list(found.capped[:MAX_CAPPED])
    items = page.select(found.state.generation, (found.findings, _identify_finding))
    lists = {"findings": [shape_finding(item) for item in items.get_items()]}
    return build_lists_answer(items, found.state, head, lists, (), [], cut=found.total > len(found.findings),
                    partial=bool(found.capped))  # fmt: skip


def _identify_finding(item: RiskFinding) -> object:
    return item.path, item.line, item.col, item.rule, item.source_path, item.source_line, item.source_col


def shape_finding(item: RiskFinding) -> dict[str, Any]:
    """Shape one finding; empty fields are left out."""
    found: dict[str, Any] = {
        "path": item.path, "line": item.line, "column": item.col + COLUMN_BASE, "symbol": item.symbol,
        "sink": item.sink, "rule": item.rule, "category": item.category, "severity": item.severity,
        "tags": list(item.tags), "confidence": item.confidence, "scope": item.scope,
    }  # fmt: skip
    if item.role:
        found["role"] = item.role
    if item.cwe:
        found["cwe"] = item.cwe
    if item.source:
        place = {"path": item.source_path, "line": item.source_line, "column": item.source_col + COLUMN_BASE}
        found |= {"flow": f"{item.source}->{item.sink}", "source": {"name": item.source, **place}}
        found["via"] = list(item.via)
    return found


TOOL = Tool(
    name="find_risks",
    family="compass",
    summary="Flows from untrusted input to dangerous calls, with the way between, and calls dangerous by themselves.",
    params=FindRisksParams,
    run=run,
    errors=ERRORS,
    positional="path",
)
