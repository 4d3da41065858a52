"""Server info: capabilities, the result of `initialize` and tool entries, as plain values for every transport."""

from base64 import b64encode
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from codecompass.contract.envelope import build_capability_block, build_tool_meta
from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import Tool
from codecompass.contract.versions import TOOL_VERSION

NAME = "codecompass"
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#135"/>'
    '<path d="M11 3 9 9l-4 4 2-6z" fill="#fff"/></svg>'
)
ICON = {
    "src": f"data:image/svg+xml;base64,{b64encode(_SVG.encode()).decode()}",
    "mimeType": "image/svg+xml",
    "sizes": ["any"],
}
"""A compass, small enough to be part of the handshake."""
ALWAYS_LOAD_KEY = "anthropic/alwaysLoad"
"""Tells a client that loads tools when they are needed to load this one at the start."""
_INSTRUCTIONS = (
    ("search_code", "Before you grep or read files, ask search_code: a question, an error text, a path; "
                    "detail_level code shows the code, so that you seldom need to read a file."),
    ("locate_symbol", "For a name, locate_symbol says where it is defined."),
    ("find_references", "Before you change a symbol, find_references lists every use and how sure it is."),
    ("get_code_context", "To understand a topic at once, get_code_context packs its code into max_tokens."),
    ("get_file_outline", "Before reading a long file, get_file_outline lists its symbols and lines."),
    ("diff_context", "To review a change, diff_context shows its symbols and their callers."),
    ("context_search", "When you wonder why, context_search has what was decided and whether it holds."),
    ("grep_codebase", "For exact text in any ref, grep_codebase."),
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
            "completions": {},
            "experimental": block,
            "prompts": {"listChanged": False},
            "resources": {"listChanged": False, "subscribe": False},
            "tools": {"listChanged": False},
        },
        "serverInfo": {"name": NAME, "version": TOOL_VERSION, "icons": [ICON]},
        "instructions": build_instructions(tools),
    }


def shape_definition(tool: Tool) -> dict[str, Any]:
    """Shape a tool for `tools/list` as the protocol defines it. The title stands in the annotations alone: every word
    of the list costs tokens, and clients fall back to it.
    """
    meta = build_tool_meta(tool.version) | ({ALWAYS_LOAD_KEY: True} if tool.preloaded else {})
    return {
        "name": tool.name,
        "description": tool.summary,
        "inputSchema": input_schema(tool.params),
        "annotations": tool.annotations,
        "_meta": meta,
    }


def shape_tool(tool: Tool) -> dict[str, Any]:
    """Shape a tool for `tools/list`, with its versions beside the name, as in document 001."""
    return shape_definition(tool) | build_tool_meta(tool.version)


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:
        # `sys.modules` has None in its place: it cannot be imported.
        return False
