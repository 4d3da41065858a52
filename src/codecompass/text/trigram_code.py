"""Trigram code: how one trigram is written as a word of the text index. It needs no numpy, unlike those of a text."""

ALPHABET = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
SHIFTS = (18, 12, 6, 0)
BREAKS_BLANKED = bytes(0 if byte in b"\r\n" else byte for byte in range(256))
"""Translation of bytes that makes line breaks zeros; a trigram with a zero is omitted."""


def trigram_word(run: bytes) -> str:
    """Encode one lower-case trigram as a word."""
    code = run[0] | run[1] << 8 | run[2] << 16
    return "".join(chr(ALPHABET[(code >> shift) & 63]) for shift in SHIFTS)


def literal_trigrams(literal: str) -> list[str]:
    """Return the trigram words that a literal requires, in the order of a text's; empty if it is too short."""
    data = literal.encode("utf-8", "surrogatepass").lower().translate(BREAKS_BLANKED)
    runs = {data[at : at + 3] for at in range(len(data) - 2)}
    return [trigram_word(run) for run in sorted(runs, key=lambda run: run[::-1]) if 0 not in run]
