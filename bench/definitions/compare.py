"""Compare: two lists of definitions, matched by path, name and line. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NEAR = 1
"""Lines that two definitions of one name may lie apart and still be the same."""
SIDES = ("ours", "ctags")
_SPACE = re.compile(r"\s+")
UNEXPLAINED = "not explained"


class Found(NamedTuple):
    """One definition that somebody found; lines count from 1."""

    path: str
    line: int
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which kinds both sides have a word for. What only one side lists on purpose says nothing of the other."""

    ours: frozenset[str]
    ctags: frozenset[str]
    strip: str = ""
    """Characters at both ends of a name that one side counts to it."""
    joint: str = ""
    """Where one side writes a name with what is around it (`A.b`): signs after which the name itself begins."""
    until: str = ""
    """A sign that ends the part of a name that both sides have (`a` of the selector `a:b:`)."""
    outermost: frozenset[str] = frozenset()
    """Kinds that ctags gives to locals too: on an indented line it is not held against us that we have none."""

    def plain(self, name: str) -> str:
        """A name without the space in it, and without what only one side keeps."""
        bare = _SPACE.sub("", name).strip(self.strip or None)
        if self.until:
            bare = bare.partition(self.until)[0] or bare
        last = max((bare.rfind(sign) for sign in self.joint), default=-1)
        return bare[last + 1 :] or bare


@dataclass(frozen=True, slots=True)
class Agreement:
    both: int
    only_ours: tuple[Found, ...]
    only_ctags: tuple[Found, ...]
    elsewhere: frozenset[Found] = frozenset()
    """Those that the other side has on another line of the same file."""

    @property
    def f1(self) -> float | None:
        """Two precisions times recall over their sum, whoever is taken for the truth; None without anything."""
        total = 2 * self.both + len(self.only_ours) + len(self.only_ctags)
        return 2 * self.both / total if total else None

    def side(self, name: str) -> tuple[Found, ...]:
        return self.only_ours if name == "ours" else self.only_ctags


@dataclass(frozen=True, slots=True)
class Difference:
    """A class of disagreement: which side has it alone, how it is recognised, who is right and why."""

    language: str
    side: str
    right: str
    why: str
    kinds: frozenset[str] = frozenset()
    name: str = ""
    line: str = ""
    path: str = ""
    elsewhere: bool = False
    """Only where the other side has the name on another line of the file."""

    def matches(self, item: Found, line: str, *, elsewhere: bool = False) -> bool:
        """Whether an item is of this class; `line` is the text of the line it stands on."""
        if (self.kinds and item.kind not in self.kinds) or (self.elsewhere and not elsewhere):
            return False
        pairs = ((self.name, item.name), (self.line, line), (self.path, item.path))
        return all(not pattern or re.search(pattern, text) for pattern, text in pairs)


def compare(ours: Iterable[Found], ctags: Iterable[Found], kinds: Kinds, line_of: Callable[[Found], str]) -> Agreement:
    """A pair counts if either side calls it by a kind that is compared, what is alone if its own kind is.
    `line_of` gives the text of the line that an item stands on.
    """
    left, right = _grouped(ours, kinds), _grouped(ctags, kinds)
    both = 0
    alone: tuple[list[Found], list[Found]] = ([], [])
    elsewhere: set[Found] = set()
    for key in sorted(left.keys() | right.keys()):
        pairs, mine, theirs = _match(left.get(key, []), right.get(key, []))
        both += sum(one.kind in kinds.ours or two.kind in kinds.ctags for one, two in pairs)
        if key in left and key in right:
            elsewhere.update(mine, theirs)
        alone[0].extend(item for item in mine if item.kind in kinds.ours)
        alone[1].extend(item for item in theirs if item.kind in kinds.ctags and not _is_local(item, kinds, line_of))
    only_ours, only_ctags = (tuple(sorted(items)) for items in alone)
    return Agreement(both, only_ours, only_ctags, frozenset(elsewhere & {*only_ours, *only_ctags}))


def _is_local(item: Found, kinds: Kinds, line_of: Callable[[Found], str]) -> bool:
    return item.kind in kinds.outermost and line_of(item)[:1].isspace()


def _grouped(items: Iterable[Found], kinds: Kinds) -> dict[tuple[str, str], list[Found]]:
    """By path and name, one for each line, in order of the lines: a name is defined once in a line."""
    found: dict[tuple[str, str], dict[int, Found]] = defaultdict(dict)
    for item in items:
        found[item.path, kinds.plain(item.name)].setdefault(item.line, item)
    return {key: [lines[line] for line in sorted(lines)] for key, lines in found.items()}


def _match(
    mine: Sequence[Found], theirs: Sequence[Found]
) -> tuple[list[tuple[Found, Found]], list[Found], list[Found]]:
    """Those on the same line first, then those that are near, in order."""
    pairs: list[tuple[Found, Found]] = []
    left, right = list(mine), list(theirs)
    for distance in range(NEAR + 1):
        for one in list(left):
            two = next((item for item in right if abs(item.line - one.line) <= distance), None)
            if two is not None:
                pairs.append((one, two))
                left.remove(one)
                right.remove(two)
    return pairs, left, right


def by_kind(items: Iterable[Found]) -> str:
    """`12 field, 3 fn`: most first."""
    counts = Counter(item.kind for item in items)
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common()) or "–"


def explain(
    agreement: Agreement, differences: Sequence[Difference], line_of: Callable[[Found], str]
) -> tuple[dict[Difference, list[Found]], dict[str, list[Found]]]:
    """Every disagreement under the first class that it is of; what is of none stands apart, by side."""
    classes: dict[Difference, list[Found]] = {one: [] for one in differences}
    rest: dict[str, list[Found]] = {side: [] for side in SIDES}
    for side in SIDES:
        asked = [one for one in differences if one.side == side]
        for item in agreement.side(side):
            line, elsewhere = line_of(item), item in agreement.elsewhere
            found = next((one for one in asked if one.matches(item, line, elsewhere=elsewhere)), None)
            (classes[found] if found else rest[side]).append(item)
    return classes, rest
