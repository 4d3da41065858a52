"""Vectors: the vector file, nearest neighbours, and the SQLite extension."""
