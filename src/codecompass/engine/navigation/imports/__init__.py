"""Imports: resolve module names to files by the rules of each language."""
