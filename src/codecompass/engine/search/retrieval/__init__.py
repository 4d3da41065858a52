"""Retrieval: plan a query, and find candidates by words, names, paths and vectors."""

__all__ = ("backends", "issue_evidence", "query_plan", "retriever", "vector_channel", "verbatim")
