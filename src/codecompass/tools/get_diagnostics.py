"""Tool `get_diagnostics`: messages of parsers and linters, with the definition that contains each."""

from typing import Any

from codecompass.contract.fields import (
    UNSET,
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
from codecompass.tools.shapes.symbol_params import ERRORS, build_lists_answer


class GetDiagnosticsParams(Params, frozen=True, kw_only=True):
    path: FilePath | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    limit: Limit = 50
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: GetDiagnosticsParams) -> Answer:
    path = unset_to_none(params.path)
    freshness: FreshnessPolicy = unset_to_none(params.freshness_policy) or host.defaults.freshness_policy
    within = (path,) if path else ()
    found = host.engine.list_diagnostics(
        unset_to_none(params.workspace), unset_to_none(params.ref), within, params.limit, freshness, call
    )
    head = {"total": found.total, "files": found.files, "by_code": dict(list(found.by_code.items())[:50])}
    lists = {"diagnostics": [_shape_diagnostic(row) for row in found.rows]}
    return build_lists_answer(host, found.state, head, lists, (), [], cut=found.total > len(found.rows))


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
