"""MCP over HTTP: the endpoint `/mcp`, its sessions and events."""
