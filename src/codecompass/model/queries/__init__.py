"""Queries and results of the engine."""

__all__ = (
    "context_bundle",
    "file_excerpt",
    "file_reading",
    "filters",
    "grep_query",
    "index_readiness",
    "navigation_queries",
    "results",
    "risk_report",
    "search_query",
    "symbol_difference",
    "symbol_inspection",
    "vector_state",
)
