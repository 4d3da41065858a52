"""Memory search: tokenize, index, embed and rank discoveries."""

__all__ = ("index_builder", "recall")
