"""Trigrams: the three-byte runs of a text, each once, as words the text index can hold.

A substring or the literal part of a pattern can only stand in a file that has all of its trigrams. Upper and lower case
of ASCII letters are one; runs across a line break are left out, because no line-wise search can ask for them.
"""

import numpy as np

_ALPHABET = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_", dtype=np.uint8)
_SHIFTS = (18, 12, 6, 0)
_LINE_BREAKS = (0x0A, 0x0D)


def trigram_words(data: bytes) -> str:
    """All trigrams of a text as four-character words, sorted, separated by spaces."""
    if len(data) < 3:
        return ""
    low = np.frombuffer(data.lower(), dtype=np.uint8).astype(np.uint32)
    codes = np.sort((low[:-2] << 16) | (low[1:-1] << 8) | low[2:])
    codes = codes[np.flatnonzero(np.diff(codes, prepend=np.uint32(0xFFFFFFFF)))]
    for byte in _LINE_BREAKS:
        codes = codes[((codes >> 16) != byte) & (((codes >> 8) & 255) != byte) & ((codes & 255) != byte)]
    words = np.full((len(codes), 5), ord(" "), dtype=np.uint8)
    for column, shift in enumerate(_SHIFTS):
        words[:, column] = _ALPHABET[(codes >> shift) & 63]
    return words.tobytes().decode("ascii")


def literal_trigrams(literal: str) -> list[str]:
    """The words a literal needs; empty when it is too short to narrow anything."""
    return trigram_words(literal.encode("utf-8", "surrogatepass")).split()
