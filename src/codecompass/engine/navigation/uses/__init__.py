"""Uses: references, calls, type hierarchy and related code of a symbol."""

__all__ = (
    "call_graph",
    "dependencies",
    "document_samples",
    "occurrences",
    "references",
    "related",
    "type_hierarchy",
    "unread_files",
    "use_nodes",
)
