"""Parameters and JSON shapes that several tools share."""

__all__ = (
    "download_shapes",
    "followup",
    "hit_lists",
    "hit_shapes",
    "job_shapes",
    "maintenance_shapes",
    "paging",
    "portable_shapes",
    "retrieval_params",
    "selection",
    "symbol_params",
    "token_budget",
)
