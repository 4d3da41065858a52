"""Tool `list_refs`: branches, tags and worktrees, and the indexed state of each."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, Cursor, Limit, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.refs import RefEntry, WorktreeEntry
from codecompass.tools.shapes.hit_shapes import METADATA_BYTES, assess_completeness, count_fitting
from codecompass.tools.shapes.paging import open_page

_MAX_WORKTREES = 50
Contains = Annotated[str, Meta(min_length=1, max_length=255, description="Part of the name.")]


class ListRefsParams(Params, frozen=True, kw_only=True):
    contains: Contains | UnsetType = UNSET
    limit: Limit = 50
    cursor: Cursor | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def run(host: Host, call: Call, params: ListRefsParams) -> Answer:
    call.check()
    page = open_page(host, call, params, params.limit)
    found = host.engine.refs(unset_to_none(params.workspace), unset_to_none(params.contains) or "", page.end, call)
    # Refs do not come from the index: their list does not depend on its generation.
    items = page.select(0, (found.refs, lambda entry: (entry.kind, entry.name)))
    refs = [shape_ref(entry) for entry in items.get_items()]
    worktrees = [shape_worktree(entry) for entry in found.worktrees[:_MAX_WORKTREES]]
    head: dict[str, Any] = {"total_refs": found.total, "worktrees": worktrees, "vcs_mode": found.vcs_mode}
    kept = count_fitting(refs, [], page.max_bytes - METADATA_BYTES - len(encode(head)) - 200)
    cut = kept < len(refs) or found.truncated
    actions: list[dict[str, Any]] = []
    if not refs:
        actions = [{"tool": "list_refs"}]
    elif not found.refs[0].indexed and found.refs[0].kind == "live":
        actions = [{"tool": "index_repo"}]
    payload = {"refs": refs[:kept], **head, "suggested_next_actions": actions}
    payload |= items.make_cursor((kept,), truncated=found.truncated)
    return Answer(payload, found.state, assess_completeness(found.state, cut=cut))


def shape_ref(entry: RefEntry) -> dict[str, Any]:
    """Shape one ref; unknown and false fields are left out, except `indexed`."""
    shaped: dict[str, Any] = {
        "name": entry.name,
        "kind": entry.kind,
        "commit": entry.commit,
        "committed_at": entry.committed_at,
        "is_current": entry.is_current or None,
        "is_default": entry.is_default or None,
        "exists": None if entry.exists else False,
        "indexed": entry.indexed,
        **_shape_view(entry),
    }
    return {key: value for key, value in shaped.items() if value is not None and value != ""}


def shape_worktree(entry: WorktreeEntry) -> dict[str, Any]:
    shaped: dict[str, Any] = {
        "path": entry.path,
        "branch": entry.branch,
        "commit": entry.commit,
        "is_current": entry.is_current or None,
        "indexed": entry.indexed,
        **_shape_view(entry),
    }
    return {key: value for key, value in shaped.items() if value is not None and value != ""}


def _shape_view(entry: RefEntry | WorktreeEntry) -> dict[str, Any]:
    return {
        "indexed_commit": entry.indexed_commit,
        "freshness": entry.freshness,
        "files": entry.files,
        "symbols": entry.symbols,
        "indexed_at": entry.indexed_at,
    }


TOOL = Tool(
    name="list_refs",
    quick=True,
    family="compass",
    summary="Branches, tags and worktrees, newest first; which are indexed and fresh.",
    params=ListRefsParams,
    run=run,
    errors=("INVALID_REQUEST", "PROJECT_NOT_FOUND", "INDEX_INCOMPATIBLE", "INTERNAL"),
)
