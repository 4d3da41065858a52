"""Case folding: the characters that are equal when case is ignored, by Unicode simple case folding."""

import unicodedata
from functools import cache

_LAST_CASED = 0x1E943
TWINS = {"k": "\u212a", "s": "\u017f"}
"""ASCII letters with a case variant outside ASCII: the Kelvin sign and the long s."""


def cases(sign: str) -> frozenset[str]:
    """Return all case variants of a character."""
    if sign.isascii():
        return frozenset({sign, sign.lower(), sign.upper(), *TWINS.get(sign.lower(), "")})
    return _known().get(sign, frozenset({sign}))


@cache
def _known() -> dict[str, frozenset[str]]:
    """Map each character to all of its case variants."""
    groups: dict[str, set[str]] = {}
    for code in range(_LAST_CASED + 1):
        sign = chr(code)
        if unicodedata.category(sign)[0] not in "LNMS":
            continue
        kin = {form for form in (sign.lower(), sign.upper(), sign.title(), sign.casefold()) if len(form) == 1}
        if len(kin | {sign}) == 1:
            continue
        merged = {sign}.union(kin, *(groups.get(form, ()) for form in kin), groups.get(sign, ()))
        for form in merged:
            groups[form] = merged
    return {sign: frozenset(kin) for sign, kin in groups.items()}
