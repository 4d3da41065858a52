"""Extraction: facts from a syntax tree and query captures."""

__all__ = ("extractor", "name_chains", "nesting")
