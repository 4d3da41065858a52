"""Path mentions: the files of a view that a path or a dotted module in a text means."""

from collections.abc import Iterable, Mapping

PathNumbers = Mapping[str, tuple[str, ...]]
"""Last part of a path, in lower case, with and without its ending → the paths."""
_PACKAGES = frozenset(("__init__", "mod", "index", "init", "lib", "main"))
_MAX_MEANT = 8
"""A mention that means more files than this means none."""


def index_last_parts(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Index paths by file name, by file name without ending, and files of packages by their directory."""
    found: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.lower().rpartition("/")
        stem = name.partition(".")[0] or name
        for key in {name, stem, *([folder.rpartition("/")[2]] if stem in _PACKAGES else ())}:
            found.setdefault(key, []).append(path)
    return {key: tuple(paths) for key, paths in found.items()}


def find_mentioned_path(mention: str, known: PathNumbers) -> list[str]:
    """Return the paths that agree best with a mentioned path, from its end; absolute paths of other machines too."""
    wanted = _split(mention)
    if not wanted:
        return []
    agreed = {path: _count_agreed(wanted, _split(path)) for path in known.get(wanted[-1], ())}
    most = max(agreed.values(), default=0)
    best = [path for path, count in agreed.items() if count == most]
    return best if len(best) <= _MAX_MEANT and (most > 1 or len(best) == 1 or len(wanted) == 1) else []


def find_mentioned_module(mention: str, known: PathNumbers) -> list[str]:
    """Return the files of a dotted chain: a module, or what is left of it without its last names."""
    parts = _split(mention)
    for end in range(len(parts), 1, -1):
        wanted = parts[:end]
        found = [path for path in known.get(wanted[-1], ()) if _ends_with(_module_parts(path), wanted)]
        if found:
            return found if len(found) <= _MAX_MEANT else []
    return []


def _split(path: str) -> list[str]:
    return [part for part in path.lower().replace("\\", "/").split("/") if part not in ("", ".", "..", "~")]


def _module_parts(path: str) -> list[str]:
    parts = _split(path)
    parts[-1] = parts[-1].partition(".")[0]
    return parts[:-1] if parts[-1] in _PACKAGES else parts


def _count_agreed(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count


def _ends_with(parts: list[str], wanted: list[str]) -> bool:
    """Whether the last parts agree; the first wanted one may be the name of the project."""
    return parts[-len(wanted) :] == wanted or (len(wanted) > 2 and parts[-len(wanted) + 1 :] == wanted[1:])
