"""Surfaces: MCP, HTTP and the command line over one dispatch."""
