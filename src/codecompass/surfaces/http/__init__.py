"""The HTTP server: middleware, router, endpoints."""

__all__ = ("answers", "api", "http_server", "listen_address", "router", "server_options", "token", "tool_calls")
