"""Surfaces: MCP, HTTP and the command line over one dispatch."""

__all__ = ("cli", "http", "mcp")
