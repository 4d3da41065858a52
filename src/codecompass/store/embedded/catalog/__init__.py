"""The catalog: blobs, views and generations in SQLite; snapshots and the index writer."""

__all__ = ("catalog_snapshot", "entry_rows", "index_writer", "snapshot_caches", "view_names")
