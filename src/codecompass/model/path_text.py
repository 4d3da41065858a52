"""Path text: paths that are not valid UTF-8, escaped for answers and stored values, and back."""

import re

_ESCAPED_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")


def display_path(path: str) -> str:
    """Return a path for display and JSON; bytes that are not valid UTF-8 are escaped as `\\xNN`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def parse_displayed_path(text: str) -> str:
    """Return the path that `display_path` shows as this text."""
    if "\\x" not in text:
        return text
    return _ESCAPED_BYTE.sub(lambda match: chr(0xDC00 + int(match[1], 16)), text)
