"""Coding agents: where each reads its configuration, and edits of these files that can be undone."""

__all__ = (
    "agent_checks",
    "agent_places",
    "agent_setup",
    "agent_table",
    "agents_page",
    "file_edit",
    "hook_entries",
    "instructions",
)
