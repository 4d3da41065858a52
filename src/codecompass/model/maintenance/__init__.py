"""Maintenance values: requests, reports, downloads, disk usage."""

__all__ = (
    "download_values",
    "known_projects",
    "maintenance_orders",
    "portable_index",
    "sync_attempt",
    "workspace_usage",
)
