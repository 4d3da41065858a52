"""Ranking: features of candidates and the scorer that orders them."""
