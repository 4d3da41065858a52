"""Queries: syntax, terms, term weights and intent."""

__all__ = ("intent", "issue_terms", "query_syntax", "query_terms", "query_tree")
