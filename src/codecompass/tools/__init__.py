"""TOOLS: every public tool, in the one order in which lists, documents and snapshots show them."""

from codecompass.contract.tool import Tool
from codecompass.tools import (
    get_file_outline,
    health_check,
    index_repo,
    index_status,
    locate_symbol,
    search_code,
    sync_repo,
)

TOOLS: tuple[Tool, ...] = (
    index_repo.TOOL,
    sync_repo.TOOL,
    locate_symbol.TOOL,
    search_code.TOOL,
    index_status.TOOL,
    get_file_outline.TOOL,
    health_check.TOOL,
)
