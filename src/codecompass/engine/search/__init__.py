"""Search: from a query to ranked candidates."""
