"""Retrieval: candidates by words, names, paths and vectors."""
