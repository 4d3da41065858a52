"""Navigation: symbols by name, the outline of a file."""
