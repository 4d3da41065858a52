"""The engine: indexing, queries, navigation, jobs and care. Synchronous; knows no protocol."""
