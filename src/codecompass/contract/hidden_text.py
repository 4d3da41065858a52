"""Detection of hidden characters in an answer: bidirectional marks and control characters.

Source is shown unchanged, so a repository can contain marks that reverse the direction of text, or sequences
that control a terminal. The reader is warned for every tool, because the encoded answer itself is scanned.
"""

import re
from typing import Any

_BIDI = b"(?:\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c)"
_CONTROL = rb"(?:\x7f|\xc2[\x80-\x84\x86-\x9f]|(?<!\\)(?:\\\\)*\\(?:b|u00(?:0[0-8be-f]|1[0-9a-f]|7f)))"
"""Control characters except tabs, line ends, form feeds and U+0085, which are ordinary in source."""
_HIDDEN = re.compile(b"(?P<bidi>" + _BIDI + b")|(?P<control>" + _CONTROL + b")")
_MAX_LISTED = 5
_ESCAPE_CODES = {"b": 0x08}


def describe_hidden_text(body: bytes) -> str:
    """Return the warning for an encoded answer that has hidden characters, else an empty string."""
    found: dict[str, None] = {}
    for match in _HIDDEN.finditer(body):
        found[_format_code_point(match[0], escaped=match["control"] is not None)] = None
        if len(found) == _MAX_LISTED:
            break
    if not found:
        return ""
    listed = ", ".join(found)
    return f"The text holds control or bidirectional characters ({listed}): it may not read as it is displayed."


def _format_code_point(sign: bytes, *, escaped: bool) -> str:
    text = sign.decode().lstrip("\\")
    if escaped and sign.startswith(b"\\"):
        code = _ESCAPE_CODES.get(text) or int(text.removeprefix("u"), 16)
    else:
        code = ord(text)
    return f"U+{code:04X}"


def add_warning(payload: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the payload with one more warning, in the form of the existing ones."""
    known = list(payload.get("warnings", ()))
    entry: object = {"code": "hidden_text", "message": text} if known and isinstance(known[0], dict) else text
    return {**payload, "warnings": [*known, entry]}
