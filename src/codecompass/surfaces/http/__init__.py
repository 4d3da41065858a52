"""The HTTP server: middleware, router, endpoints."""

__all__ = ("api", "http_server", "listen_address", "server_options", "token")
