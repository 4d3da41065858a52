"""Filters: which candidates pass the filters and operators of a query."""
