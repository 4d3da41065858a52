"""The store: ports that the engine knows, and what implements them."""
