"""Search: from a query to ranked candidates."""

__all__ = ("filters", "issue", "paths", "pipeline", "query", "ranking", "retrieval")
