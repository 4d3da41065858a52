"""Frozen values every level may hold. Standard library only (and BLAKE3, for identity)."""
