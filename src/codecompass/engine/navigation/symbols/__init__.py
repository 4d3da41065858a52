"""Symbols: find a definition by name, position or handle; the outline of a file."""
