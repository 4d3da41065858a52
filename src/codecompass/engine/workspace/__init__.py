"""Workspaces: registered projects, their stores, jobs and caches."""

__all__ = (
    "channel_health",
    "dictionary_version",
    "lock_owner",
    "output_directories",
    "project",
    "project_access",
    "project_registry",
    "query_embedder",
    "readiness_check",
)
