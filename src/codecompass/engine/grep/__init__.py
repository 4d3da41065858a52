"""Grep: find lines that match a regular expression, preselected by trigrams and verified with RE2."""

__all__ = ("file_source", "grep_filters", "grep_scan", "grep_scope", "regex", "text_cache")
