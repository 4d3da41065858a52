"""Redaction: what may leave in a line of the log. One function takes out secrets, one makes control characters visible.

Values of arguments are never logged at all. This is the second wall, for text that comes from elsewhere: a message of
ours that quotes a header, an address with a password in it, a path below somebody's home.
"""

import os
from collections.abc import Mapping

from codecompass.model.secrecy import HIDDEN, SENSITIVE, visible, without_secrets

__all__ = ["HIDDEN", "Redactor", "visible", "without_secrets"]


class Redactor:
    """Cleans the fields of a line, whatever their shape."""

    def __init__(self, home: str | None = None) -> None:
        self._home = os.path.expanduser("~") if home is None else home

    def clean(self, value: object, name: str = "") -> object:
        """A value as JSON may show it; text under a name such as `token` is hidden whole."""
        if isinstance(value, str):
            return HIDDEN if value and SENSITIVE.fullmatch(name) else without_secrets(value, self._home)
        if isinstance(value, Mapping):
            return {str(self.clean(str(key))): self.clean(item, str(key)) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.clean(item) for item in value]
        return value if value is None or isinstance(value, bool | int | float) else self.clean(str(value))
