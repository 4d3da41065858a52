"""SQLite and Tantivy in one directory per project."""
