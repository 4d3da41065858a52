"""Services: one per feature. Each takes a workspace and a query, and returns an answer with its state."""
