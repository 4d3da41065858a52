"""The repository: files, git and processes. Trusts nothing that it finds there."""

__all__ = ("files", "git", "process", "workspace")
