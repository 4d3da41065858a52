"""Memory search: tokenize, index, embed and rank discoveries."""
