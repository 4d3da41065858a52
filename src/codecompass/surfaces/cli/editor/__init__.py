"""The editor: open results in it, and search while typing."""

__all__ = ("interactive_search", "open_command")
