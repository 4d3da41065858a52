"""Regular expressions: parse a pattern, translate it for RE2, and derive the trigrams it needs."""

__all__ = ("pattern", "re2_syntax")
