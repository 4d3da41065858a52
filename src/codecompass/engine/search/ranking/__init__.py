"""Ranking: features of candidates and the scorer that orders them."""

__all__ = ("features", "scorer", "term_coverage")
