"""Uses: references, calls, type hierarchy and related code of a symbol."""
