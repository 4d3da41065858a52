"""Git history of files: commits, last changes, churn and blame."""

__all__ = ("file_history", "line_owners", "view_history")
