"""Maintenance values: requests, reports, downloads, disk usage."""
