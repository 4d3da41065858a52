"""Modes: the kinds of text that a search may look at."""

MODES = ("code", "prose", "extracted-prose", "records")
"""Kinds of text; every file is in one of them, and what is written inside code is in `extracted-prose` besides."""
