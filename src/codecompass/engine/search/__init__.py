"""Search: from a query to ranked candidates."""

__all__ = ("filters", "paths", "pipeline", "query", "ranking", "retrieval")
