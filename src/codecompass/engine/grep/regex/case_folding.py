"""Case folding: the characters that are equal when case is ignored, by Unicode simple case folding."""

import unicodedata
from functools import cache

_LAST_CASED = 0x1E943
NON_ASCII_CASES = {"k": "\u212a", "s": "\u017f"}
"""ASCII letters with a case variant outside ASCII: the Kelvin sign and the long s."""


def get_case_variants(char: str) -> frozenset[str]:
    """Return all case variants of a character."""
    if char.isascii():
        return frozenset({char, char.lower(), char.upper(), *NON_ASCII_CASES.get(char.lower(), "")})
    return _load_case_groups().get(char, frozenset({char}))


@cache
def _load_case_groups() -> dict[str, frozenset[str]]:
    """Map each character to all of its case variants."""
    groups: dict[str, set[str]] = {}
    for code in range(_LAST_CASED + 1):
        char = chr(code)
        if unicodedata.category(char)[0] not in "LNMS":
            continue
        variants = {form for form in (char.lower(), char.upper(), char.title(), char.casefold()) if len(form) == 1}
        if len(variants | {char}) == 1:
            continue
        merged = {char}.union(variants, *(groups.get(form, ()) for form in variants), groups.get(char, ()))
        for form in merged:
            groups[form] = merged
    return {char: frozenset(variants) for char, variants in groups.items()}
