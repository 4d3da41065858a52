"""The operating system: every use of a module that not all systems have (fcntl, msvcrt, resource, pwd, grp)."""

__all__ = ("file_leases", "file_locks", "resource_limits", "user_accounts", "windows_processes")
