"""TOOLS: every public tool, in the one order in which lists, documents and snapshots show them."""

from codecompass.contract.tool import Tool
from codecompass.tools import (
    cancel_job,
    diff_context,
    explain_ranking,
    find_references,
    find_risks,
    get_call_graph,
    get_code_context,
    get_diagnostics,
    get_file_outline,
    get_symbol_hierarchy,
    health_check,
    index_repo,
    index_status,
    inspect_symbol,
    list_refs,
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
    find_references.TOOL,
    get_call_graph.TOOL,
    get_symbol_hierarchy.TOOL,
    get_code_context.TOOL,
    diff_context.TOOL,
    list_refs.TOOL,
    explain_ranking.TOOL,
    inspect_symbol.TOOL,
    get_diagnostics.TOOL,
    find_risks.TOOL,
    cancel_job.TOOL,
)
