"""Vectors: the vector file, nearest neighbours, and the SQLite extension."""

__all__ = ("vector_export", "vector_extension", "vector_file", "vector_table", "vector_writer")
