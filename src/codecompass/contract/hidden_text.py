"""Hidden text: characters in an answer that change how it looks or act on a terminal.

Source is shown as it is, so a repository can put marks into it that turn the direction of text around, or sequences
that a terminal obeys. Whoever reads the answer is told, whatever tool made it: the encoded answer itself is looked at.
"""

import re
from typing import Any

_BIDI = b"(?:\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c)"
_CONTROL = rb"(?:\x7f|\xc2[\x80-\x84\x86-\x9f]|(?<!\\)(?:\\\\)*\\(?:b|u00(?:0[0-8be-f]|1[0-9a-f]|7f)))"
"""Tabs, line ends and form feeds are ordinary in source, and so is U+0085 in some texts."""
_HIDDEN = re.compile(b"(?P<bidi>" + _BIDI + b")|(?P<control>" + _CONTROL + b")")
_MOST = 5
_TELLING = {"b": 0x08}


def hidden_text_note(body: bytes) -> str:
    """What to say of an encoded answer that holds such characters; empty for one that does not."""
    found: dict[str, None] = {}
    for match in _HIDDEN.finditer(body):
        found[_name(match[0], escaped=match["control"] is not None)] = None
        if len(found) == _MOST:
            break
    if not found:
        return ""
    listed = ", ".join(found)
    return f"The text holds control or bidirectional characters ({listed}): it may not read as it is displayed."


def _name(sign: bytes, *, escaped: bool) -> str:
    text = sign.decode().lstrip("\\")
    if escaped and sign.startswith(b"\\"):
        code = _TELLING.get(text) or int(text.removeprefix("u"), 16)
    else:
        code = ord(text)
    return f"U+{code:04X}"


def with_warning(payload: dict[str, Any], text: str) -> dict[str, Any]:
    """A payload with one more entry among its warnings, in the form that the others have."""
    known = list(payload.get("warnings", ()))
    entry: object = {"code": "hidden_text", "message": text} if known and isinstance(known[0], dict) else text
    return {**payload, "warnings": [*known, entry]}
