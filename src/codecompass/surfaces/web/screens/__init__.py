"""One screen for each page: questions to the tools, and pure functions from their payloads to what a template shows."""

__all__ = (
    "file_screen",
    "finder_screen",
    "history_screens",
    "record_screens",
    "search_screen",
    "symbol_screen",
    "workspace_screen",
)
