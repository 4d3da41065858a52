"""Readiness: index or sync a project before a command answers a question about it."""

__all__ = ("index_run", "question_flags", "question_preparation")
