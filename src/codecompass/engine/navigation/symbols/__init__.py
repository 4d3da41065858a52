"""Symbols: find a definition by name, position or handle; the outline of a file."""

__all__ = ("definitions", "handles", "outline", "reexports", "symbol_nodes", "target", "target_symbol")
