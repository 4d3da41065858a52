"""Formats: embedded languages, notebooks, templates, line-based formats and long files."""
