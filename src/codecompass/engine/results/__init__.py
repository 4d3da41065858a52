"""Results: ranked candidates as hits, code context, explanations and source excerpts."""

__all__ = (
    "code_context",
    "explanation",
    "file_diagnostics",
    "hit_details",
    "hits",
    "pending_outline",
    "risk_order",
    "source_file",
    "value_completion",
)
