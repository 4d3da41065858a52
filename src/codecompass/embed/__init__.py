"""Embed: texts and code become vectors, without a network."""
