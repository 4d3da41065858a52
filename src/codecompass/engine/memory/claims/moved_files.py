"""Moved files: find the new path of a removed file whose rename git does not report.

A file may be copied in one commit and deleted in another, moved with half of it rewritten, or moved in a commit so
large that git does not finish comparing in time. Equal content is looked for first, then files with the same name or
stem that share most of its lines.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from codecompass.text.sniff import decode

_ALIKE = 0.5
"""Minimum shared lines, as a share of the longer file; git's rename detection uses the same limit."""
_LEAST_LINES = 6
_LEAST_BYTES = 40
"""Shorter contents resemble many others."""
_CANDIDATES = 24


def successor(path: str, data: bytes, places: Mapping[str, str], oid: str, read: Callable[[str], bytes | None]) -> str:
    """Return the path that holds a content now; empty if none does. `places` maps paths to git object ids."""
    if len(data) < _LEAST_BYTES:
        return ""
    same = [place for place, name in places.items() if name == oid]
    if same:
        return min(same, key=lambda place: (_distance(path, place), place))
    wanted = Counter(_lines(data))
    if sum(wanted.values()) < _LEAST_LINES:
        return ""
    scored = []
    for place in _namesakes(path, places):
        other = read(place)
        if other is not None:
            scored.append((_alike(wanted, Counter(_lines(other))), -_distance(path, place), place))
    best = max(scored, default=(0.0, 0, ""))
    return best[2] if best[0] >= _ALIKE else ""


def _namesakes(path: str, places: Iterable[str]) -> list[str]:
    """Return files with the same name, then files with the same stem; the nearest first."""
    name = path.rpartition("/")[2]
    stem = _stem(name)
    found = [place for place in places if _stem(place.rpartition("/")[2]) == stem]
    found.sort(key=lambda place: (place.rpartition("/")[2] != name, _distance(path, place), place))
    return found[:_CANDIDATES]


def _stem(name: str) -> str:
    return name.partition(".")[0].casefold() or name.casefold()


def _distance(one: str, other: str) -> int:
    """Count the directories that only one of two paths has."""
    mine, theirs = set(one.split("/")[:-1]), set(other.split("/")[:-1])
    return len(mine ^ theirs)


def _lines(data: bytes) -> list[str]:
    """Return the non-trivial lines without whitespace."""
    return [line for raw in decode(data)[0].split("\n") if len(line := "".join(raw.split())) > 3]


def _alike(one: Counter[str], other: Counter[str]) -> float:
    shared = (one & other).total()
    return shared / max(one.total(), other.total(), 1)
