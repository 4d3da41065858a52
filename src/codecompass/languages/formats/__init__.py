"""Formats: embedded languages, notebooks, templates, line formats and long files."""
