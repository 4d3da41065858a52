"""SQLite databases: connections, checksums, schemas, owned and derived data."""

__all__ = (
    "database_compaction",
    "database_schema",
    "history_database",
    "memory_database",
    "memory_records",
    "readonly_open",
    "records_database",
    "sqlite_connection",
)
