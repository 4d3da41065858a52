"""Maintenance: health checks, downloads and storage of a data directory."""

__all__ = ("downloads", "health", "storage")
