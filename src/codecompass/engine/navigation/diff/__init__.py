"""Symbol diff: definitions that differ between two refs, and their callers."""
