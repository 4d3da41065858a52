"""Storage: builds, portable files, compaction, garbage collection and sizes on disk."""
