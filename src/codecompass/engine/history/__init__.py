"""Git history of files: commits, last changes, churn and blame."""
