"""Server info: capabilities, the result of `initialize` and tool entries, as plain values for every transport."""

from importlib.util import find_spec
from typing import Any

from codecompass.contract.envelope import build_capability_block, build_tool_meta
from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.contract.versions import TOOL_VERSION

NAME = "codecompass"
INSTRUCTIONS = (
    "Use search_code for questions and locate_symbol for names before reading files. "
    "Check metadata.freshness_status; call sync_repo when it is stale."
)


def list_capabilities() -> dict[str, Any]:
    """Return the capabilities of this build, so that clients need not try."""
    return {
        "docs": {"pdf": _is_installed("pypdfium2"), "docx": _is_installed("mammoth")},
        "vector": {"sqliteVec": _is_installed("sqlite_vec")},
        "mcp": {"sdk": _is_installed("mcp"), "legacy": True},
    }


def build_initialize_result(version: str) -> dict[str, Any]:
    """Build the result of `initialize`."""
    block = {"pairofcleats": build_capability_block(list_capabilities())}
    return {
        "protocolVersion": version,
        "capabilities": {
            "experimental": block,
            "resources": {"listChanged": False, "subscribe": False},
            "tools": {"listChanged": False},
        },
        "serverInfo": {"name": NAME, "version": TOOL_VERSION},
        "instructions": INSTRUCTIONS,
    }


def shape_tool(tool: Tool) -> dict[str, Any]:
    """Shape a tool for `tools/list`, with its versions beside the name, as in document 001."""
    meta = build_tool_meta(tool.version)
    entry = {
        "name": tool.name,
        "description": tool.summary,
        "inputSchema": input_schema(tool.params),
        "_meta": meta,
        **meta,
    }
    if tool.annotations:
        entry["annotations"] = tool.annotations
    return entry


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:
        # `sys.modules` has None in its place: it cannot be imported.
        return False
