"""Memory: what a repository says of itself, mined, checked and found again."""
