"""Escaping of repository text for a terminal.

A file name may hold an escape sequence that moves the cursor, a right-to-left override that reorders what is read, or
bytes that are not text. Each becomes a visible escape; ordinary letters of every script are unchanged.
"""

import unicodedata


def escape(text: str) -> str:
    """Return the text on one line, with control, format and undecodable characters escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape_char(char) for char in text)


def _escape_char(char: str) -> str:
    code = ord(char)
    if char == "\t":
        return "    "
    if char == "\u200d" or (unicodedata.category(char) == "Zs"):
        # Joiners build emoji and many scripts; odd spaces are harmless and only look like spaces.
        return char
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
