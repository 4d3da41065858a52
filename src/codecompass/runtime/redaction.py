"""Redaction: remove secrets from log lines and make control characters visible.

Values of arguments are never logged. This is the second protection, for text from other sources: a message that quotes
a header, a URL with a password, a path below a user's home directory.
"""

import os
from collections.abc import Mapping

from codecompass.model.secrecy import REDACTED, SENSITIVE, escape_invisible, redact_secrets

__all__ = ["REDACTED", "Redactor", "escape_invisible", "redact_secrets"]


class Redactor:
    """Removes secrets from the fields of a log line."""

    def __init__(self, home: str | None = None) -> None:
        self._home = os.path.expanduser("~") if home is None else home

    def clean(self, value: object, name: str = "") -> object:
        """Return a cleaned value for JSON; text under a name such as `token` is hidden completely."""
        if isinstance(value, str):
            return REDACTED if value and SENSITIVE.fullmatch(name) else redact_secrets(value, self._home)
        if isinstance(value, Mapping):
            return {str(self.clean(str(key))): self.clean(item, str(key)) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.clean(item) for item in value]
        return value if value is None or isinstance(value, bool | int | float) else self.clean(str(value))
