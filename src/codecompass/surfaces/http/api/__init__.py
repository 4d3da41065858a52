"""The HTTP API: routes, arguments, event streams and its description."""

__all__ = ("api_endpoints", "reference_page")
