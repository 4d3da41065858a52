"""Trigrams: the distinct three-byte sequences of a text, encoded as words for the text index.

A substring or the literal part of a pattern can only occur in a file that has all of its trigrams. ASCII case is
ignored; trigrams across a line break are omitted, because a line-wise search cannot use them.
"""

import numpy as np

from codecompass.text.trigram_code import ALPHABET, BREAKS_BLANKED, SHIFTS

_ALPHABET = np.frombuffer(ALPHABET, dtype=np.uint8)


def trigram_words(data: bytes) -> str:
    """Encode all trigrams of a text as four-character words, sorted, separated by spaces."""
    if len(data) < 3:
        return ""
    # Read as 4-byte numbers from each of four offsets, the text yields every trigram in the low 24 bits. The padding of
    # zeros adds trigrams that sort first; they are dropped together with those across a line break.
    padded = data.lower().translate(BREAKS_BLANKED) + b"\0" * (8 - len(data) % 4)
    codes = np.concatenate([np.frombuffer(padded, "<u4", len(padded) // 4 - 1, offset) for offset in range(4)])
    codes &= 0xFFFFFF
    codes.sort()
    codes = codes[np.flatnonzero(codes[1:] != codes[:-1]) + 1]
    codes = codes[(codes > 0xFFFF) & ((codes & 0xFF00) > 0) & ((codes & 0xFF) > 0)]
    words = np.full((len(codes), 5), ord(" "), dtype=np.uint8)
    for column, shift in enumerate(SHIFTS):
        words[:, column] = _ALPHABET[(codes >> shift) & 63]
    return words.tobytes().decode("ascii")
