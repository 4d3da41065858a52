"""Queries: syntax, terms, term weights and intent."""

__all__ = ("intent", "query_syntax", "query_terms", "query_tree")
