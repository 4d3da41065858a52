"""Resolver: resolve a name at a position by scopes, imports and types."""

__all__ = ("certain_resolver", "resolver", "scopes", "values")
