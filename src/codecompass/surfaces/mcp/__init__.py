"""MCP over stdio. Only this package knows the SDK, and only `serve-mcp` loads it."""
