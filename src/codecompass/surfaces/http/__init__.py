"""The HTTP server: middleware, router, endpoints."""
