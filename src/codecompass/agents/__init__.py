"""Coding agents: where each reads its configuration, and edits of these files that can be undone."""
