"""The store: ports that the engine uses, and their implementations."""
