"""Files: path safety, directory walk, ignore rules and change monitoring."""

__all__ = (
    "atomic_batch",
    "file_watch",
    "open_mappings",
    "path_guard",
    "secret_names",
    "skip_list",
    "tree_monitor",
    "tree_walk",
)
