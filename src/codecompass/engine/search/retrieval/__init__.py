"""Retrieval: plan a query, and find candidates by words, names, paths and vectors."""
