"""Jobs: indexing in child processes, and what became of them."""
