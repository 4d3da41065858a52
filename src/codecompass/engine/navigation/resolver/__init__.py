"""The resolver: what a name means at a position, by scopes, imports and types."""
