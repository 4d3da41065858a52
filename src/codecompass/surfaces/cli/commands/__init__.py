"""Command handlers: each takes parsed arguments, prints an answer and returns an exit code."""

__all__ = (
    "index_commands",
    "languages_command",
    "projects_command",
    "query_commands",
    "setup_command",
    "watch_command",
)
