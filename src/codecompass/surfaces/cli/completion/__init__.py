"""Completion: what may follow the words of a command line, and the scripts that ask for it in a shell."""

__all__ = ("shell_command", "shell_scripts", "word_completion")
