"""Files of a project directory: locks, bundles, atomic replacement, maintenance."""

__all__ = ("directory_maintenance", "in_use_lock", "index_swap", "tarball", "writer_lock")
