"""Resolver: resolve a name at a position by scopes, imports and types."""
