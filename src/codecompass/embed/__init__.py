"""Embedding models: text and code to vectors, without a network."""
