"""Tools, in the order of lists, documents and snapshots; imported when a table of them is first used."""

from codecompass.contract.tool import Tool
from codecompass.tools.tool_registry import INNER_TOOL_NAMES, TOOL_NAMES, load_tools

__all__ = ("INNER_TOOLS", "TOOLS", "get_code_context", "tool_registry")

TOOLS: tuple[Tool, ...]
INNER_TOOLS: tuple[Tool, ...]


def __getattr__(name: str) -> object:
    """Import all tools when a table of them is first used."""
    if name not in ("TOOLS", "INNER_TOOLS"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = load_tools(TOOL_NAMES if name == "TOOLS" else INNER_TOOL_NAMES)
    return value
