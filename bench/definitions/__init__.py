"""Definitions of every language: what is compared, with what, and why the answers differ."""
