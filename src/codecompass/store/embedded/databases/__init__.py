"""SQLite databases: connections, checksums, schemas, owned and derived data."""
