"""Files, git and processes: the only level that touches a repository, and it trusts nothing it finds there."""
