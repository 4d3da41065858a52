"""Help: groups of commands, examples, and the pages that are made of them and of the parser."""

__all__ = ("help_page", "man_page", "parser_sections", "tool_help")
