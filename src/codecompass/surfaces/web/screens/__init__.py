"""One screen for each page: questions to the tools, and pure functions from their payloads to what a template shows."""

__all__ = ("file_screen", "finder_screen", "search_screen", "symbol_screen")
