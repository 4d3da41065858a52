"""Navigation: find the definition, uses, callers, types and differences of a symbol."""

__all__ = ("diff", "imports", "resolver", "symbols", "uses")
