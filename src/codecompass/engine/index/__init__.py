"""Indexing: list, hash, diff, parse, publish."""
