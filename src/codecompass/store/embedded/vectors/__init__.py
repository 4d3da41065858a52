"""Vectors: the vector file, nearest neighbours, and the SQLite extension."""

__all__ = ("lazy_vectors", "vector_export", "vector_extension", "vector_table")
