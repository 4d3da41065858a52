"""Profiles: the names a file defines, as ranking compares them with a question."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from codecompass.engine.query.asked import Asked
from codecompass.model.code import Head, Heads
from codecompass.model.kinds import SECONDARY
from codecompass.text.stems import stems

_SILENT = SECONDARY | {"use"}
"""Kinds whose names say what is used or written about, not what is made here."""
KIND_WORTH = {
    "class": 1.0, "struct": 1.0, "trait": 1.0, "interface": 0.9, "enum": 0.9, "table": 0.9, "fn": 0.8, "macro": 0.8,
    "type": 0.7, "mod": 0.6, "method": 0.5, "const": 0.4, "var": 0.3, "impl": 0.3,
}  # fmt: skip
_OTHER_KIND = 0.2
_INSIDE = 0.8
"""What a definition inside another counts of one at the top."""
_TELLING = 10
_MANY_LINES = 8.0
"""The logarithm of the lines of a large file."""
_FEW_LINES = 20
"""Below that, fewer lines say nothing."""
_SATURATION = 1.2
_LENGTH_SHARE = 0.4
_USUAL_LENGTH = 60
"""Stems in all names of an ordinary file."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The names of one blob, taken apart."""

    counts: Mapping[str, int]
    """Stem → definitions whose names have it."""
    length: int
    defined: Mapping[str, tuple[Head, ...]]
    """Name → the definitions that have it."""
    lines: int


def profile_of(heads: Heads) -> Profile:
    defined: dict[str, list[Head]] = {}
    for item in heads.definitions:
        if item.kind not in _SILENT:
            defined.setdefault(item.name, []).append(item)
    counts: dict[str, int] = {}
    length = 0
    for name, items in defined.items():
        found = stems(name)
        length += len(found) * len(items)
        for one in set(found):
            counts[one] = counts.get(one, 0) + len(items)
    return Profile(counts, length, {name: tuple(items) for name, items in defined.items()}, heads.line_count)


def said(profile: Profile, asked: Asked) -> float:
    """How much of the question the names of a file say together, by BM25 and within 0..1."""
    usual = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * profile.length / _USUAL_LENGTH)
    return sum(
        share * often / (often + usual)
        for one, share in asked.shares.items()
        if (often := profile.counts.get(one, 0))
    )


def exact(profile: Profile, asked: Asked) -> float:
    """Whether a name of the question is defined here: types count more than members, large more than small."""
    best = 0.0
    for name, sure in asked.names.items():
        for item in profile.defined.get(name, ()):
            worth = KIND_WORTH.get(item.kind, _OTHER_KIND) * (1.0 if item.parent < 0 else _INSIDE)
            size = min(1.0, (item.line_end - item.line_start + 1).bit_length() / 7)
            best = max(best, sure * worth * (0.5 + 0.5 * size))
    return best


def size(profile: Profile) -> float:
    """Files of substance answer more questions than those that only pass on."""
    return min(1.0, math.log1p(max(profile.lines, _FEW_LINES)) / _MANY_LINES)


def telling_names(profile: Profile) -> list[str]:
    """The largest definitions of a file, those at the top first: what others would mention if they used it."""

    def extent(name: str) -> int:
        return max(
            (item.line_end - item.line_start + 1) * (1 if item.parent >= 0 else 3) for item in profile.defined[name]
        )

    return sorted((name for name in profile.defined if len(name) > 2), key=extent, reverse=True)[:_TELLING]
