"""Moved files: find the new path of a removed file whose rename git does not report.

A file may be copied in one commit and deleted in another, moved with half of it rewritten, or moved in a commit so
large that git does not finish comparing in time. Equal content is looked for first, then files with the same name or
stem that share most of its lines.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from codecompass.text.sniff import decode

_MIN_SIMILARITY = 0.5
"""Minimum shared lines, as a share of the longer file; git's rename detection uses the same limit."""
_MIN_LINES = 6
_MIN_BYTES = 40
"""Shorter contents resemble many others."""
_MAX_CANDIDATES = 24


def find_successor(
    path: str, data: bytes, places: Mapping[str, str], oid: str, read: Callable[[str], bytes | None]
) -> str:
    """Return the path that holds a content now; empty if none does. `places` maps paths to git object ids."""
    if len(data) < _MIN_BYTES:
        return ""
    same = [place for place, name in places.items() if name == oid]
    if same:
        return min(same, key=lambda place: (_measure_distance(path, place), place))
    wanted = Counter(_split_lines(data))
    if sum(wanted.values()) < _MIN_LINES:
        return ""
    scored = []
    for place in _find_namesakes(path, places):
        other = read(place)
        if other is not None:
            scored.append(
                (_compute_similarity(wanted, Counter(_split_lines(other))), -_measure_distance(path, place), place)
            )
    best = max(scored, default=(0.0, 0, ""))
    return best[2] if best[0] >= _MIN_SIMILARITY else ""


def _find_namesakes(path: str, places: Iterable[str]) -> list[str]:
    """Return files with the same name, then files with the same stem; the nearest first."""
    name = path.rpartition("/")[2]
    stem = _get_stem(name)
    found = [place for place in places if _get_stem(place.rpartition("/")[2]) == stem]
    found.sort(key=lambda place: (place.rpartition("/")[2] != name, _measure_distance(path, place), place))
    return found[:_MAX_CANDIDATES]


def _get_stem(name: str) -> str:
    return name.partition(".")[0].casefold() or name.casefold()


def _measure_distance(one: str, other: str) -> int:
    """Count the directories that only one of two paths has."""
    mine, theirs = set(one.split("/")[:-1]), set(other.split("/")[:-1])
    return len(mine ^ theirs)


def _split_lines(data: bytes) -> list[str]:
    """Return the non-trivial lines without whitespace."""
    return [line for raw in decode(data)[0].split("\n") if len(line := "".join(raw.split())) > 3]


def _compute_similarity(one: Counter[str], other: Counter[str]) -> float:
    shared = (one & other).total()
    return shared / max(one.total(), other.total(), 1)
