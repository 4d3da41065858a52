"""The runtime: decode, admit, run, encode; the same for every surface."""

__all__ = ("admission", "deadline", "dispatch", "log", "progress", "prometheus", "rate_limits")
