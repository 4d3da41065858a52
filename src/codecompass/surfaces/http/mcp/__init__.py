"""MCP over HTTP: the endpoint `/mcp`, its sessions and events."""

__all__ = ("mcp_endpoint",)
