"""Issues: read a long text about a problem as its parts, and say which channel of search each part asks."""

__all__ = ("issue_reader", "parts")
