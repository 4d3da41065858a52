"""Paths: how well the path of a file and the names in it match a query, and the role of a file."""

__all__ = ("name_features", "path_index", "path_mentions", "path_roles")
