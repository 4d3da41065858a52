"""Triage: records on disk, searched, decided about and put into context."""
