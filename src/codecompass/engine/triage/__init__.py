"""Triage: scanner findings as records on disk, searched, decided and put into context."""
