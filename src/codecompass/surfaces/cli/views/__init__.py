"""Views: answers as text for a terminal."""

__all__ = (
    "check_reports",
    "grep_view",
    "hits_view",
    "index_progress",
    "maintenance_view",
    "memory_view",
    "navigation_view",
    "progress_bar",
    "render",
    "risk_view",
    "source_lines",
    "terminal",
    "terminal_text",
)
