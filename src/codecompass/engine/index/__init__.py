"""Indexing: list, hash, compare, parse, publish."""

__all__ = (
    "blob_parser",
    "blob_text",
    "facet_builder",
    "inline_parser",
    "linter",
    "orphaned_views",
    "parse_task",
    "sync",
    "vector_build",
    "worker_pool",
)
