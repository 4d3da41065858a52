"""Commands: each takes parsed arguments, shows an answer and returns an exit code."""
