"""The embedded store: SQLite and Tantivy in one directory per project."""

__all__ = ("databases", "embedded_store", "files", "vectors")
