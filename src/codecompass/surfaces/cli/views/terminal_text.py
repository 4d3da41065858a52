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


def escape_json(text: str) -> str:
    """Return JSON of the same value, with control and format characters of its strings as `\\u` escapes."""
    return "".join(char if char.isprintable() else _escape_in_json(char) for char in text)


def _escape_in_json(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


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
