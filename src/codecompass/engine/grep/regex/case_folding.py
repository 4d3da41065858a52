"""Cases: which characters are one when case does not count, by the simple foldings of Unicode."""

import unicodedata
from functools import cache

_LAST_CASED = 0x1E943
TWINS = {"k": "\u212a", "s": "\u017f"}
"""ASCII letters that have a case beyond ASCII: the sign of Kelvin, and the long s."""


def cases(sign: str) -> frozenset[str]:
    """A character in every case."""
    if sign.isascii():
        return frozenset({sign, sign.lower(), sign.upper(), *TWINS.get(sign.lower(), "")})
    return _known().get(sign, frozenset({sign}))


@cache
def _known() -> dict[str, frozenset[str]]:
    """Character → every character that is it in some case."""
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
