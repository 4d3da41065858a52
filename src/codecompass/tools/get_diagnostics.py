"""Tool `get_diagnostics`: messages of parsers and linters, with the definition that contains each."""

from typing import Any

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
from codecompass.model.queries.symbol_inspection import FileDiagnostic
from codecompass.tools.inspect_symbol import shape_message
from codecompass.tools.shapes.paging import open_page
from codecompass.tools.shapes.symbol_params import ERRORS, build_lists_answer


class GetDiagnosticsParams(Params, frozen=True, kw_only=True):
    path: FilePath | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    limit: Limit = 50
    cursor: Cursor | UnsetType = UNSET
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: GetDiagnosticsParams) -> Answer:
    page = open_page(host, call, params, params.limit)
    path = unset_to_none(params.path)
    freshness: FreshnessPolicy = unset_to_none(params.freshness_policy) or host.defaults.freshness_policy
    within = (path,) if path else ()
    found = host.engine.list_diagnostics(
        unset_to_none(params.workspace), unset_to_none(params.ref), within, page.end, freshness, call
    )
    head = {"total": found.total, "files": found.files, "by_code": dict(list(found.by_code.items())[:50])}
    items = page.select(found.state.generation, (found.rows, lambda row: (row.path, row.message)))
    lists = {"diagnostics": [_shape_diagnostic(row) for row in items.get_items()]}
    return build_lists_answer(items, found.state, head, lists, (), [], cut=found.total > len(found.rows))


def _shape_diagnostic(row: FileDiagnostic) -> dict[str, Any]:
    shaped = {"path": row.path, **shape_message(row.message)}
    return {**shaped, "in": row.inside} if row.inside else shaped


TOOL = Tool(
    name="get_diagnostics",
    family="compass",
    summary="Messages of parsers (every language) and of the Python linter about a file, a directory or all.",
    params=GetDiagnosticsParams,
    run=run,
    errors=ERRORS,
    positional="path",
)
