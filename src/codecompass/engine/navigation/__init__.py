"""Navigation: from a name to its definition, uses, callers, types and differences."""
