"""MCP over stdio. The SDK is imported by the MCP packages only."""

__all__ = (
    "batches",
    "legacy_session",
    "mcp_server",
    "message_guard",
    "rpc_errors",
    "server_info",
    "stdio_loop",
    "wire",
)
