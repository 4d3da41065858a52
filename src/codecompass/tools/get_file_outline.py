"""Tool `get_file_outline`: the symbols of one file as a tree."""

from typing import Any

from codecompass.contract.encoding import encode
from codecompass.contract.fields import UNSET, Depth, FilePath, Language, Ref, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.model.call import Call
from codecompass.model.queries.results import OutlineNode
from codecompass.tools.shapes.hit_shapes import METADATA_BYTES, assess_completeness, count_fitting, list_gap_warnings
from codecompass.tools.shapes.selection import HandleParams, read_handles, require_one


class GetFileOutlineParams(HandleParams, frozen=True, kw_only=True):
    path: FilePath | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    depth: Depth = "all"
    language: Language | UnsetType = UNSET
    workspace: Workspace | UnsetType = UNSET


def shape_node(node: OutlineNode) -> dict[str, Any]:
    """Shape one symbol; empty fields are left out, handles are always present."""
    shaped: dict[str, Any] = {
        "kind": node.kind,
        "name": node.name,
        "line_start": node.line_start,
        "line_end": node.line_end,
        "visibility": node.visibility,
        "signature": node.signature,
        "symbol_id": node.symbol_id,
        "symbol_stable_id": node.symbol_stable_id,
        "children": [shape_node(child) for child in node.children],
    }
    return {key: value for key, value in shaped.items() if value not in ("", [])}


def run(host: Host, call: Call, params: GetFileOutlineParams) -> Answer:
    chosen, value = require_one({"path": unset_to_none(params.path), **read_handles(params)})
    path, handle = (value, None) if chosen == "path" else (None, value)
    found = host.engine.outline(
        unset_to_none(params.workspace),
        path,
        unset_to_none(params.ref),
        params.depth,
        call,
        host.defaults.freshness_policy,
        handle,
    )
    symbols = [shape_node(node) for node in found.nodes]
    payload: dict[str, Any] = {"file_path": found.path, "language": found.language, "symbols": symbols}
    narrower = [{"tool": "get_file_outline", chosen: value, "ref": found.state.ref, "depth": "top"}]
    room = host.defaults.max_response_bytes - METADATA_BYTES - 2 * len(encode(narrower))
    kept = count_fitting(symbols, [], room)
    cut = found.truncated or kept < len(symbols)
    if cut:
        payload["symbols"] = symbols[:kept]
        payload["suggested_next_actions"] = narrower if params.depth == "all" else []
    hint = unset_to_none(params.language)
    # The hint never filters; when it disagrees with the file, a warning names the language that was used.
    doubts = hint is not None and hint.strip().lower() != found.language.lower()
    warnings = (f"The file is {found.language or 'plain text'}, not {hint[:40]}.",) if hint and doubts else ()
    extra = {"symbol_count": found.symbol_count}
    gaps = tuple(gap for gap in found.state.gaps if gap.path == found.path)
    whole = assess_completeness(found.state, cut=cut, gaps=gaps)
    return Answer(payload, found.state, whole, extra, (*warnings, *list_gap_warnings(gaps)))


TOOL = Tool(
    name="get_file_outline",
    quick=True,
    family="compass",
    summary="Before reading a file: its symbols (`path` or a handle).",
    params=GetFileOutlineParams,
    run=run,
    toolsets=("agent",),
    errors=(
        "INVALID_REQUEST",
        "FILE_NOT_FOUND",
        "SYMBOL_NOT_FOUND",
        "RESULT_NOT_FOUND",
        "PROJECT_NOT_FOUND",
        "REF_NOT_INDEXED",
        "INDEX_INCOMPATIBLE",
        "INDEX_STALE",
        "INTERNAL",
    ),
    positional="path",
)
