"""Extraction: from a syntax tree and query captures to facts."""
