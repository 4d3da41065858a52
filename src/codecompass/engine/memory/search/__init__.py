"""Memory search: tokens, inverted index, embeddings and ranking of discoveries."""
