"""Indexing: list, hash, compare, parse, publish."""
