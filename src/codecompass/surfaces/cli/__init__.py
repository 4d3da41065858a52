"""The command line: for people, and for scripts with --json."""

__all__ = (
    "command_lines",
    "commands",
    "completion",
    "help",
    "output",
    "pages",
    "parser",
    "path_args",
    "readiness",
    "standard_streams",
    "views",
)
