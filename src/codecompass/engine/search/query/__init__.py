"""Queries: syntax, terms, term weights and intent."""

__all__ = ("idf", "intent", "query_syntax", "query_terms", "query_tree")
