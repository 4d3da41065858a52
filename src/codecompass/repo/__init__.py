"""The repository: files, git and processes. Trusts nothing that it finds there."""
