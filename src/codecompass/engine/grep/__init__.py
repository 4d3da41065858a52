"""Grep: find lines that match a regular expression, preselected by trigrams and verified with RE2."""
