"""Extraction: facts from a syntax tree and query captures."""
