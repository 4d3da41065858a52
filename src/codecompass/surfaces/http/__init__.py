"""HTTP: one address for many clients. A gate that every request passes, doors behind it, MCP behind one of them."""
