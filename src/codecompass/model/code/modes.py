"""Modes: the kinds of text that a search can be limited to."""

MODES = ("code", "prose", "extracted-prose", "records")
"""Kinds of text; every file has one mode, and comments and documentation in code are also in `extracted-prose`."""
