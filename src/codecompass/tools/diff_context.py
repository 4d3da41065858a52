"""Tool `diff_context`: symbols that differ between two refs or since the last commit, with their callers."""

import time
from dataclasses import replace
from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.encoding import encode
from codecompass.contract.fields import (
    UNSET,
    Cursor,
    FreshnessPolicy,
    Limit,
    LookedUp,
    Ref,
    UnsetType,
    Workspace,
    unset_to_none,
)
from codecompass.contract.shapes.memory_shapes import shape_impacted
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import ImpactQuery
from codecompass.model.queries.symbol_difference import (
    AffectedCaller,
    DiffQuery,
    DiffSide,
    FileChange,
    SymbolChange,
    SymbolDiff,
    SymbolVersion,
)
from codecompass.model.states import Completeness
from codecompass.tools.shapes.hit_shapes import METADATA_BYTES, assess_completeness, count_fitting
from codecompass.tools.shapes.paging import PageItems, open_page

Callers = Annotated[int, Meta(ge=0, le=100)]
Prefix = LookedUp
Direct = Annotated[bool, Meta(description="Not from the merge base.")]
_FILES_SHARE = 4
"""The list of files may take a quarter of the answer; the rest is for symbols."""
_IMPACT_TIMEOUT_S = 2.0
_MAX_IMPACTED = 5
"""Most discoveries at risk that are shown; `codecompass context check` shows them all."""


class DiffContextParams(Params, frozen=True, kw_only=True):
    base_ref: Ref | UnsetType = UNSET
    head_ref: Ref | UnsetType = UNSET
    path: Prefix | UnsetType = UNSET
    limit: Limit = 50
    cursor: Cursor | UnsetType = UNSET
    callers: Callers = 5
    direct: Direct = False
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: DiffContextParams) -> Answer:
    page = open_page(host, call, params, params.limit)
    query = DiffQuery(
        base_ref=unset_to_none(params.base_ref),
        head_ref=unset_to_none(params.head_ref),
        path=unset_to_none(params.path),
        limit=page.end,
        callers=params.callers,
        direct=params.direct,
        freshness=unset_to_none(params.freshness_policy) or host.defaults.freshness_policy,
    )
    found = host.engine.diff(unset_to_none(params.workspace), query, call)
    risks = _find_impacted(host, unset_to_none(params.workspace), query, call) if found.files else None
    room = page.max_bytes - METADATA_BYTES - (len(encode(risks)) + 40 if risks else 0)
    # The generation may rise while the two sides stay the same.
    items = page.select(0, (found.changes, _identify_change))
    payload, cut = _build_payload(found, query, items, room)
    if risks:
        payload["endangered_discoveries"] = risks
    return Answer(payload, found.state, _assess_completeness(found, query, cut=cut), warnings=found.warnings)


def _find_impacted(host: Host, workspace: str | None, query: DiffQuery, call: Call) -> dict[str, Any] | None:
    """Find the discoveries that the change puts at risk, with a short timeout: the diff must not wait for them."""
    soon = time.monotonic() + _IMPACT_TIMEOUT_S
    hurried = replace(call, deadline=soon if call.deadline is None else min(soon, call.deadline))
    try:
        report = host.engine.find_impacted(
            workspace, ImpactQuery(query.base_ref, query.head_ref, _MAX_IMPACTED), hurried
        )
    except Failure as failure:
        # The diff itself is known, so a failure of memory is ignored; only a cancelled call ends here.
        if failure.code == "CANCELLED":
            raise
        call.check()
        return None
    return {"total": report.total, "list": [shape_impacted(item) for item in report.items]} if report.items else None


def _assess_completeness(found: SymbolDiff, query: DiffQuery, *, cut: bool) -> Completeness:
    """Return the completeness. Commits are compared without an index, so only callers can be missing there."""
    if cut or found.truncated:
        return "truncated"
    if found.head.live or found.base.live:
        return assess_completeness(found.state, cut=False)
    silent = query.callers and any(change.callers_total is None for change in found.changes)
    return "partial" if silent or found.callers_from_elsewhere else "complete"


def _identify_change(one: SymbolChange) -> object:
    return one.change, one.path, one.qualified_name, one.symbol_id


def _build_payload(found: SymbolDiff, query: DiffQuery, items: PageItems, room: int) -> tuple[dict[str, Any], bool]:
    listed = [_shape_file(one) for one in found.files]
    changes = [_shape_change(one) for one in items.get_items()]
    kept_files = count_fitting(listed, [], room // _FILES_SHARE)
    payload: dict[str, Any] = {
        "base": _shape_side(found.base),
        "head": _shape_side(found.head),
        "merge_base": found.merge_base,
        "files": {**found.file_totals, "list": listed[:kept_files]},
        "totals": {**found.totals, "moved_only": found.moved_only, "doc_only": found.doc_only},
        "left_out": found.left_out,
        "changes": [],
    }
    payload = {key: value for key, value in payload.items() if value not in ("", {})}
    smaller = _repeat_call(query, callers=0, limit=max(1, items.page.limit // 2))
    warning_bytes = len(encode(list(found.warnings)))
    kept = count_fitting(changes, [], room - warning_bytes - len(encode(payload)) - len(encode([smaller])) - 200)
    if changes and kept == 0:
        # One change is larger than the whole budget: show it without callers and signatures.
        changes[0] = {key: value for key, value in changes[0].items() if key not in ("callers", "before", "after")}
        kept = 1
    payload["changes"] = changes[:kept]
    payload |= items.make_cursor((kept,), truncated=sum(found.totals.values()) > len(found.changes))
    cut = kept < len(changes) or kept_files < len(found.files)
    payload["suggested_next_actions"] = _suggest_actions(found, query, smaller if kept < len(changes) else None)
    return payload, cut


def _suggest_actions(found: SymbolDiff, query: DiffQuery, smaller: dict[str, Any] | None) -> list[dict[str, Any]]:
    actions = [smaller] if smaller else []
    if found.state.indexing == "not_indexed" and (found.changes or found.head.live):
        actions.append({"tool": "index_repo", "ref": found.state.ref})
    elif found.state.freshness == "stale":
        actions.append({"tool": "sync_repo", "ref": found.state.ref})
    if not found.changes and not actions:
        actions.append(
            _repeat_call(query, direct=True) if query.base_ref and not query.direct else {"tool": "list_refs"}
        )
    return actions


def _repeat_call(query: DiffQuery, **changes: object) -> dict[str, Any]:
    arguments = {"base_ref": query.base_ref, "head_ref": query.head_ref, "path": query.path}
    return {"tool": "diff_context", **{key: value for key, value in arguments.items() if value is not None}, **changes}


def _shape_side(side: DiffSide) -> dict[str, Any]:
    shaped: dict[str, Any] = {"ref": side.ref, "commit": side.commit, "live": side.live or None}
    return {key: value for key, value in shaped.items() if value not in ("", None)}


def _shape_file(one: FileChange) -> dict[str, Any]:
    shaped: dict[str, Any] = {"path": one.path, "change": one.change, "old_path": one.old_path, "symbols": one.symbols}
    return {key: value for key, value in shaped.items() if value != ""}


def _shape_change(one: SymbolChange) -> dict[str, Any]:
    shaped: dict[str, Any] = {
        "change": one.change,
        "symbol_id": one.symbol_id,
        "kind": one.kind,
        "name": one.name,
        "qualified_name": one.qualified_name,
        "path": one.path,
        "old_path": one.before.path if one.before else "",
        "before": _shape_version(one.before),
        "after": _shape_version(one.after),
    }
    if one.before is not None and one.after is not None:
        shaped |= {
            "signature_changed": one.signature_changed,
            "body_changed": one.body_changed,
            "doc_changed": one.doc_changed or None,
        }
    if one.callers_total is not None:
        shaped |= {"callers": [_shape_caller(caller) for caller in one.callers], "callers_total": one.callers_total}
        shaped["callers_by_resolution"] = one.callers_counts or None
    return {key: value for key, value in shaped.items() if value is not None and value != ""}


def _shape_version(version: SymbolVersion | None) -> dict[str, Any] | None:
    if version is None:
        return None
    shaped: dict[str, Any] = {
        "signature": version.signature,
        "qualified_name": version.qualified_name,
        "line_start": version.line_start,
        "line_end": version.line_end,
    }
    return {key: value for key, value in shaped.items() if value != ""}


def _shape_caller(caller: AffectedCaller) -> dict[str, Any]:
    shaped: dict[str, Any] = {
        "path": caller.path,
        "line": caller.line,
        "name": caller.name,
        "role": caller.role,
        "resolution": caller.resolution,
    }
    return {key: value for key, value in shaped.items() if value != ""}


TOOL = Tool(
    name="diff_context",
    family="compass",
    summary="To review a change: its symbols and their callers (default: since the last commit).",
    params=DiffContextParams,
    run=run,
    toolsets=("agent",),
    errors=("INVALID_REQUEST", "FORBIDDEN", "PROJECT_NOT_FOUND", "REF_NOT_INDEXED", "NO_INDEX", "INDEX_INCOMPATIBLE",
            "INDEX_STALE", "CAPABILITY_MISSING", "INTERNAL"),
    positional="path",
)  # fmt: skip
