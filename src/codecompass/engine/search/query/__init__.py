"""Queries: syntax, terms, term weights and intent."""
