"""Parameters, JSON shapes and errors shared by the tools about one symbol."""

from typing import Any

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.encoding import encode
from codecompass.contract.fields import (
    UNSET,
    Cursor,
    FilePath,
    FreshnessPolicy,
    Limit,
    Line,
    Name,
    Ref,
    UnsetType,
    Workspace,
    unset_to_none,
)
from codecompass.contract.tool import Answer, Host
from codecompass.errors import ErrorCode
from codecompass.model.queries.navigation_queries import SymbolNode, SymbolTarget
from codecompass.model.queries.results import ViewState
from codecompass.tools.shapes.hit_shapes import METADATA_BYTES, assess_completeness, count_fitting, list_gap_warnings
from codecompass.tools.shapes.paging import PageItems
from codecompass.tools.shapes.retrieval_params import ERRORS as RETRIEVAL_ERRORS
from codecompass.tools.shapes.selection import HandleParams, read_handles, require_one

ERRORS: tuple[ErrorCode, ...] = (*RETRIEVAL_ERRORS, "SYMBOL_NOT_FOUND", "RESULT_NOT_FOUND", "FILE_NOT_FOUND")


class SymbolParams(HandleParams, frozen=True, kw_only=True):
    """Parameters of every tool about one symbol: a name (narrowed by a path), a handle, or a path and a line."""

    name: Name | UnsetType = UNSET
    path: FilePath | UnsetType = UNSET
    line: Line | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    limit: Limit = 50
    cursor: Cursor | UnsetType = UNSET
    freshness_policy: FreshnessPolicy | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def read_target(params: SymbolParams) -> SymbolTarget:
    """Return the target symbol; exactly one way of naming it must be used."""
    name, path, line = unset_to_none(params.name), unset_to_none(params.path), unset_to_none(params.line)
    place = None if line is None else path or ""
    if place == "":
        raise to_invalid_request(
            [make_violation("/line", "dependentRequired", "a line needs its path", missingProperty="path")]
        )
    chosen, value = require_one({"name": name, **read_handles(params), "line": place})
    if chosen == "name":
        return SymbolTarget(name=value, path=path)
    return SymbolTarget(path=path, line=line) if chosen == "line" else SymbolTarget(handle=value)


def read_freshness_policy(host: Host, params: SymbolParams) -> FreshnessPolicy:
    return unset_to_none(params.freshness_policy) or host.defaults.freshness_policy


def shape_symbol(node: SymbolNode) -> dict[str, Any]:
    """Shape the target symbol in full."""
    shaped = {**shape_brief(node), "symbol_stable_id": node.symbol_stable_id, "signature": node.signature}
    if node.overloads:
        shaped["overloads"] = [{"path": path, "line": line} for path, line in node.overloads]
    if node.reached_by:
        shaped["reached_by"] = [{"path": path, "line": line} for path, line in node.reached_by]
    return shaped


def shape_brief(node: SymbolNode) -> dict[str, Any]:
    """Shape a related symbol: its handle, name and location."""
    return {
        "symbol_id": node.symbol_id,
        "kind": node.kind,
        "name": node.qualified_name,
        "path": node.path,
        "line_start": node.line_start,
        "line_end": node.line_end,
    }


def build_lists_answer(
    items: PageItems,
    state: ViewState,
    head: dict[str, Any],
    lists: dict[str, list[dict[str, Any]]],
    others: tuple[SymbolNode, ...],
    actions: list[dict[str, Any]],
    *,
    cut: bool,
    partial: bool = False,
    warnings: tuple[str, ...] = (),
) -> Answer:
    """Build an answer of several lists, each cut at its end so that all fit the byte budget together.

    The last lists are those of the page, in its order; lists before them are not paged. `partial`: something was not
    searched; `cut`: something was found that is not on this page.
    """
    if others:
        head = {**head, "also_named": [shape_brief(node) for node in others]}
    fixed = len(encode({**head, "suggested_next_actions": actions})) + len(encode(list(warnings)))
    room = items.page.max_bytes - METADATA_BYTES - fixed
    kept: dict[str, list[dict[str, Any]]] = {}
    for number, (name, listed) in enumerate(lists.items()):
        share = room // (len(lists) - number)
        count = count_fitting(listed, [], share)
        kept[name] = listed[:count]
        room -= len(encode(kept[name]))
        cut = cut or count < len(listed)
    counts = [len(kept[name]) for name in list(lists)[-len(items.lists) :]]
    cursor = items.make_cursor(counts, truncated=cut)
    payload = {**head, **kept, **cursor}
    if actions:
        payload["suggested_next_actions"] = actions
    extent = assess_completeness(state, cut=cut or bool(cursor), partial=partial or bool(state.gaps))
    return Answer(payload, state, extent, warnings=(*warnings, *list_gap_warnings(state.gaps)))
