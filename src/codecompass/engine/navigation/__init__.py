"""Navigation: find the definition, uses, callers, types and differences of a symbol."""
