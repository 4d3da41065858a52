"""Services: one per feature. Each takes a workspace and a query, and returns an answer with its state."""

__all__ = (
    "excerpt_service",
    "file_service",
    "grep_service",
    "inspection_service",
    "job_service",
    "maintenance_service",
    "memory_service",
    "memory_writes",
    "navigation_service",
    "risk_service",
    "search_service",
    "status_service",
    "triage_service",
)
