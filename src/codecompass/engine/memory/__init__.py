"""Memory: what a repository says about itself, mined, checked and retrieved."""
