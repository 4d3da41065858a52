"""Queries: syntax, terms, intent and plan."""
