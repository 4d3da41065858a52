"""Queries and results of the engine."""
