"""Near targets: definitions and files of a view whose names are spelled like one that was not found.

Suggestions reach agents, so a name or a path is suggested only if it cannot be read as a sentence.
"""

import posixpath
import re
from difflib import SequenceMatcher

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.near_words import find_near_words

MAX_SUGGESTIONS = 5
_MAX_NAMES = 3
"""Different names of which definitions are looked up."""
_MAX_ROWS = 200
_SEPARATORS = re.compile(r"::|->|[.#/\\]")
_SAFE_NAME = re.compile(r"[\w$.:#]{1,120}")
_SAFE_PATH = re.compile(r"[\w.@+~/-]{1,240}")


def find_near_symbols(view: PinnedView, name: str) -> list[str]:
    """Return names of definitions of this view that are spelled like `name`, qualified if it is."""
    segments = [part for part in _SEPARATORS.split(name.strip().removesuffix("()")) if part]
    if not segments:
        return []
    similar = find_near_words(segments[-1], view.snapshot.find_similar_names(segments[-1].casefold()), _MAX_NAMES)
    found: dict[str, None] = {}
    for word in similar:
        for row in view.snapshot.find_symbols(word.casefold(), prefix=False, limit=_MAX_ROWS):
            for path in view.paths.get(row.blob, ())[:1]:
                own = [part for part in _SEPARATORS.split(view.symbol(path, row.position).qualified_name) if part]
                found[".".join(own[-len(segments) :]) if len(segments) > 1 else row.name] = None
    near = find_near_words(".".join(segments), found, MAX_SUGGESTIONS)
    return [one for one in near if _SAFE_NAME.fullmatch(one)]


def find_near_paths(view: PinnedView, path: str, *, directories: bool = False) -> list[str]:
    """Return paths of indexed files, or also directories, whose base names are like that of `path`."""
    known = {one for one, entry in view.entries.items() if entry.blob}
    if directories:
        known |= {parent for one in known for parent in _list_parents(one)}
    by_name: dict[str, list[str]] = {}
    for one in known:
        by_name.setdefault(posixpath.basename(one), []).append(one)
    names = find_near_words(posixpath.basename(path.rstrip("/")), by_name, MAX_SUGGESTIONS)
    found = sorted((one for name in names for one in by_name[name]), key=lambda one: (-_compare(path, one), one))
    return [one for one in found if _SAFE_PATH.fullmatch(one)][:MAX_SUGGESTIONS]


def _list_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _compare(first: str, second: str) -> float:
    return SequenceMatcher(None, first[-200:], second[-200:]).ratio()
