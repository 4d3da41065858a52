"""JSON shapes that both the tools and the command line show."""

__all__ = ("memory_shapes", "triage_shapes")
