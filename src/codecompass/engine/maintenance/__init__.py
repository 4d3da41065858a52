"""Maintenance: health checks, downloads and storage of a data directory."""
