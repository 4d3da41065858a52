"""Imports: which file a module name means, by the rules of each language."""
