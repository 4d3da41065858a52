"""Queries and answers: what a caller asks and what the engine returns."""
