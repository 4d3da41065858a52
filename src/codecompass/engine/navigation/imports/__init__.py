"""Imports: resolve module names to files by the rules of each language."""

__all__ = ("module_index",)
