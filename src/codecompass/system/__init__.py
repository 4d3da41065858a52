"""The operating system: every use of a module that not all systems have (fcntl, msvcrt, resource, pwd, grp)."""
