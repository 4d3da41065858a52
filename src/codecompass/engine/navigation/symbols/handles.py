"""Handles: resolve public handles. Each candidate's handle is recomputed, so a forged handle never matches."""

from collections.abc import Iterator

from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.ids import file_id, key_of, lookup_key, path_key, path_key_of, snippet_id

SCAN = 50_000
"""Maximum definitions of one name that are checked, as a bound for hostile repositories."""


def symbol_with_id(view: PinnedView, handle: str) -> Symbol | None:
    """Return the definition with a `symbol_id`."""
    wanted = path_key_of(handle)
    for path, position in _named(view, handle):
        if path_key(path) == wanted:
            symbol = view.symbol(path, position)
            if view.handles(symbol).symbol_id == handle:
                return symbol
    return None


def symbols_with_stable_id(view: PinnedView, handle: str) -> list[Symbol]:
    """Return all definitions with a stable handle; copies of one file share it."""
    found = (view.symbol(path, position) for path, position in _named(view, handle))
    return [symbol for symbol in found if view.stable_id(symbol) == handle]


def file_with_id(view: PinnedView, handle: str) -> str | None:
    """Return the path with a `file_` handle."""
    return next((path for path in _keyed_paths(view, handle) if file_id(path) == handle), None)


def snippet_with_id(view: PinnedView, handle: str) -> tuple[str, int] | None:
    """Return the path and chunk number of a `snip_` handle; None once the file has changed."""
    for path in _keyed_paths(view, handle):
        entry = view.entries[path]
        if not entry.blob:
            continue
        digest = view.snapshot.identity(entry.blob)[0].hex()
        for ordinal, chunk in enumerate(view.facts(path).chunks):
            if snippet_id(path, chunk.line_start, chunk.line_end, digest) == handle:
                return path, ordinal
    return None


def _named(view: PinnedView, handle: str) -> Iterator[tuple[str, int]]:
    """Yield (path, position) of definitions whose name has the key of the handle."""
    for name in view.snapshot.names_keyed(key_of(handle)):
        for row in view.snapshot.symbols_named(name.casefold(), prefix=False, limit=SCAN):
            if row.name == name:
                for path in view.paths.get(row.blob, ()):
                    yield path, row.position


def _keyed_paths(view: PinnedView, handle: str) -> list[str]:
    key = key_of(handle)
    return [path for path in view.entries if lookup_key(path) == key]
