"""Grep: lines that a pattern matches, found through trigrams and proved by RE2."""
