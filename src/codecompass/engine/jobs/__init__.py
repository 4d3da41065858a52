"""Index jobs: run them in this process or in a child, cancel them, and keep a view in sync."""

__all__ = ("auto_sync", "cancellation", "first_index", "job_runner", "quick_sync")
