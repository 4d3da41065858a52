"""Queries: intent, retrieval, ranking, shaping."""
