"""JSON shapes that both the tools and the command line show."""

__all__ = ("grep_shapes", "memory_shapes", "triage_shapes")
