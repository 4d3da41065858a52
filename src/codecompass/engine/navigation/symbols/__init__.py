"""Symbols: find a definition by name, position or handle; the outline of a file."""

__all__ = ("definitions", "handles", "near_targets", "outline", "reexports", "symbol_nodes", "target", "target_symbol")
