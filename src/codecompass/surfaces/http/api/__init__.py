"""The HTTP API: routes, arguments, event streams and its description."""
