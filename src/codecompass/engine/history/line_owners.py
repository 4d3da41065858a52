"""Line owners: carry who wrote each line of a committed file over to its edited text."""

from difflib import SequenceMatcher
from typing import TypeVar

Owner = TypeVar("Owner")
_MAX_COMPARISONS = 4_000_000
"""Maximum product of the line counts of both sides for a diff; beyond it, changed lines count as new."""


def carry_owners(before: list[str], now: list[str], owners: list[Owner], new: Owner) -> list[Owner]:
    """Return the owner of each line of `now`: unchanged lines keep theirs, the others have `new`.

    As in git, a line that moved past unchanged ones is a new one. Line ends do not matter.
    """
    old, fresh = ([line.rstrip("\r") for line in lines] for lines in (before, now))
    head = 0
    while head < min(len(old), len(fresh)) and old[head] == fresh[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(fresh)) - head and old[-1 - tail] == fresh[-1 - tail]:
        tail += 1
    pairs = [(at, at) for at in range(head)]
    left, right = old[head : len(old) - tail], fresh[head : len(fresh) - tail]
    if len(left) * len(right) <= _MAX_COMPARISONS:
        blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        pairs += [(head + one + at, head + two + at) for one, two, size in blocks for at in range(size)]
    pairs += [(len(old) - tail + at, len(fresh) - tail + at) for at in range(tail)]
    found = [new] * len(fresh)
    for one, two in pairs:
        if one < len(owners):
            found[two] = owners[one]
    return found
