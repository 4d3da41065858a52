"""The catalog: blobs, views and generations in SQLite; snapshots and the index writer."""
