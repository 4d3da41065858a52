"""Storage: builds, portable files, compaction, garbage collection and sizes on disk."""

__all__ = (
    "artifacts",
    "bootstrap_steps",
    "full_build",
    "garbage_collection",
    "portable_build",
    "project_compaction",
    "state_bundle",
    "stored_projects",
    "warm_set",
)
