"""Command handlers: each takes parsed arguments, prints an answer and returns an exit code."""
