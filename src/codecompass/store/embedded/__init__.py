"""The embedded store: SQLite and Tantivy in one directory per project."""
