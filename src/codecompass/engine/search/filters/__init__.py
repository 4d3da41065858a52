"""Filters: which candidates pass the filters and operators of a query."""

__all__ = ("boolean_match", "candidates", "filter_set", "path_patterns", "predicates", "units")
