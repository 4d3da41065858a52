"""Handles: resolve public handles. Each candidate's handle is recomputed, so a forged handle never matches."""

from collections.abc import Iterator

from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.ids import (
    hash_lookup_key,
    hash_path_key,
    make_file_id,
    make_snippet_id,
    read_lookup_key,
    read_path_key,
)

MAX_DEFINITIONS = 50_000
"""Maximum definitions of one name that are checked, as a bound for hostile repositories."""


def find_symbol_by_id(view: PinnedView, handle: str) -> Symbol | None:
    """Return the definition with a `symbol_id`."""
    wanted = read_path_key(handle)
    for path, position in _find_candidates(view, handle):
        if hash_path_key(path) == wanted:
            symbol = view.symbol(path, position)
            if view.handles(symbol).symbol_id == handle:
                return symbol
    return None


def find_symbols_by_stable_id(view: PinnedView, handle: str) -> list[Symbol]:
    """Return all definitions with a stable handle; copies of one file share it."""
    found = (view.symbol(path, position) for path, position in _find_candidates(view, handle))
    return [symbol for symbol in found if view.stable_id(symbol) == handle]


def find_file_by_id(view: PinnedView, handle: str) -> str | None:
    """Return the path with a `file_` handle."""
    return next((path for path in _find_keyed_paths(view, handle) if make_file_id(path) == handle), None)


def find_snippet_by_id(view: PinnedView, handle: str) -> tuple[str, int] | None:
    """Return the path and chunk number of a `snip_` handle; None once the file has changed."""
    for path in _find_keyed_paths(view, handle):
        entry = view.entries[path]
        if not entry.blob:
            continue
        digest = view.snapshot.identity(entry.blob)[0].hex()
        for ordinal, chunk in enumerate(view.facts(path).chunks):
            if make_snippet_id(path, chunk.line_start, chunk.line_end, digest) == handle:
                return path, ordinal
    return None


def _find_candidates(view: PinnedView, handle: str) -> Iterator[tuple[str, int]]:
    """Yield (path, position) of definitions whose name has the key of the handle."""
    for name in view.snapshot.find_names_by_key(read_lookup_key(handle)):
        for row in view.snapshot.find_symbols(name.casefold(), prefix=False, limit=MAX_DEFINITIONS):
            if row.name == name:
                for path in view.paths.get(row.blob, ()):
                    yield path, row.position


def _find_keyed_paths(view: PinnedView, handle: str) -> list[str]:
    key = read_lookup_key(handle)
    return [path for path in view.entries if hash_lookup_key(path) == key]
