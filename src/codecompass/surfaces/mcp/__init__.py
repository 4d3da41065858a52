"""MCP over stdio. The SDK is imported by the MCP packages only."""
