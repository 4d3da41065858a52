"""The command line: for people, and for scripts with --json."""

__all__ = ("commands", "output", "parser", "views")
