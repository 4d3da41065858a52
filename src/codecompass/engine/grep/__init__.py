"""Grep: lines that match a regular expression, found through trigrams and verified with RE2."""
