"""Registry of tools: their names in order, and how they are loaded.

A tool is the value `TOOL` of the module with its name. Modules are imported when they are first used, because most
commands call one tool.
"""

from importlib import import_module

from codecompass.contract.tool import Tool

TOOL_NAMES = (
    "index_repo",
    "sync_repo",
    "locate_symbol",
    "search_code",
    "index_status",
    "get_file_outline",
    "health_check",
    "find_references",
    "get_call_graph",
    "get_symbol_hierarchy",
    "get_code_context",
    "diff_context",
    "list_refs",
    "explain_ranking",
    "inspect_symbol",
    "get_diagnostics",
    "find_risks",
    "cancel_job",
    "context_record",
    "search",
    "show_file",
    "workspace_status",
    "report_artifacts",
    "config_status",
    "check_status",
    "build_sqlite_index",
    "build_index",
    "index_build",
    "download_models",
    "download_dictionaries",
    "download_extensions",
    "verify_extensions",
    "compact_sqlite_index",
    "cache_gc",
    "clean_artifacts",
    "bootstrap",
    "triage_ingest",
    "triage_decision",
    "triage_context_pack",
    "context_search",
    "read_file",
    "grep_codebase",
)
INNER_TOOL_NAMES = ("context_resources", "complete_value")
"""Internal tools that surfaces call for their own features; clients cannot call them by name."""


def load_tools(names: tuple[str, ...]) -> tuple[Tool, ...]:
    """Import the modules of tools, and return the tools."""
    return tuple(import_module(f"codecompass.tools.{name}").TOOL for name in names)
