"""Paths: how well the path of a file and the names in it match a query, and the role of a file."""
