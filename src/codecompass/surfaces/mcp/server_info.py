"""Server info: capabilities, the result of `initialize` and tool entries, as plain values for every transport."""

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from codecompass.contract.envelope import build_capability_block, build_tool_meta
from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.contract.versions import TOOL_VERSION

NAME = "codecompass"
_INSTRUCTIONS = (
    ("search_code", "Before you grep or read files, ask search_code: a question, an error text, a path."),
    ("locate_symbol", "locate_symbol finds where a name is defined."),
    ("find_references", "find_references lists every use of a symbol: call it before you change one."),
    ("get_code_context", "get_code_context collects the code that answers a question within a token budget."),
    ("get_file_outline", "get_file_outline lists the symbols of a file."),
    ("diff_context", "diff_context shows which symbols a change touches and who calls them."),
    ("context_search", "context_search says what the team decided and whether it still holds."),
    ("grep_codebase", "grep_codebase finds lines by a regular expression, in any ref."),
)  # fmt: skip
"""When to use which tool: a sentence is part of the instructions if its tool is served."""
_STALE = "metadata.freshness_status says whether an answer matches the files: when it is stale, "


def list_capabilities() -> dict[str, Any]:
    """Return the capabilities of this build, so that clients need not try."""
    return {
        "docs": {"pdf": _is_installed("pypdfium2"), "docx": _is_installed("mammoth")},
        "vector": {"sqliteVec": _is_installed("sqlite_vec")},
        "mcp": {"sdk": _is_installed("mcp"), "legacy": True},
    }


def build_instructions(tools: Iterable[Tool]) -> str:
    """Build the instructions for an agent, which name only tools that are served."""
    served = {tool.name for tool in tools}
    lines = [line for name, line in _INSTRUCTIONS if name in served]
    remedy = "call sync_repo." if "sync_repo" in served else "the server updates the index; ask again."
    return " ".join((*lines, _STALE + remedy))


def build_initialize_result(version: str, tools: Iterable[Tool]) -> dict[str, Any]:
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
        "instructions": build_instructions(tools),
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
