"""The runtime: decode, admit, run, encode; the same for every surface."""

__all__ = (
    "admission",
    "deadline",
    "dispatch",
    "helper_loop",
    "helper_pool",
    "log",
    "progress",
    "prometheus",
    "rate_limits",
)
