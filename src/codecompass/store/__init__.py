"""The store: ports that the engine uses, and their implementations."""

__all__ = ("embedded", "fact_codec", "memory_port", "portable_port", "ports", "text_query", "vector_port")
