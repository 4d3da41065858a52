"""Related code: types a definition names, its callees and its users.

Only certain resolutions count; a similar name is no evidence.
"""

from collections.abc import Iterator

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.references import KIND_OF_ROLE, UseClassifier
from codecompass.engine.search.paths.path_roles import is_test
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.code.facts import Reference
from codecompass.model.code.kinds import CONTAINER
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import SymbolLocation

MAX_RELATED = 5
_MAX_PER_KIND = 3
_MAX_NAMES = 40
"""Maximum names of one body looked up; a longer body has five related definitions well before that."""
_MAX_FILES = 25
"""Maximum files searched for users of a definition, nearest first."""
_TYPES = CONTAINER | {"type"}


def find_related(resolver: Resolver, symbol: Symbol) -> tuple[SymbolLocation, ...]:
    """Return at most five related definitions: types first, then callees, then users."""
    uses = list(_iterate_references(resolver, symbol))
    sorts = (
        _resolve_references(resolver, symbol, [item for item in uses if item.role in ("inherit", "type")]),
        _resolve_references(resolver, symbol, [item for item in uses if KIND_OF_ROLE[item.role] == "call"]),
        _find_users(resolver, symbol),
    )
    found: dict[tuple[str, int], Symbol] = {}
    spare: dict[tuple[str, int], Symbol] = {}
    for number, sort in enumerate(sorts):
        taken = 0
        for other in sort:
            key = (other.path, other.position)
            if other == symbol or key in found or _encloses(symbol, other) or _encloses(other, symbol):
                continue
            if number == 0 and other.definition.kind not in _TYPES:
                continue
            if taken < _MAX_PER_KIND:
                found[key] = other
            else:
                spare.setdefault(key, other)
            taken += 1
            if taken > MAX_RELATED:
                break
    chosen = [*found.values(), *(other for key, other in spare.items() if key not in found)][:MAX_RELATED]
    return tuple(to_symbol_place(other) for other in chosen)


def to_symbol_place(symbol: Symbol) -> SymbolLocation:
    return SymbolLocation(
        symbol.definition.kind, symbol.definition.name, display_path(symbol.path), symbol.definition.line_start
    )


def find_parent(view: PinnedView, symbol: Symbol) -> SymbolLocation | None:
    """Return the enclosing definition of a member."""
    above = symbol.definition.parent
    return to_symbol_place(view.symbol(symbol.path, above)) if above >= 0 else None


def _encloses(outer: Symbol, inner: Symbol) -> bool:
    one, two = outer.definition, inner.definition
    return outer.path == inner.path and one.byte_start <= two.byte_start and two.byte_end <= one.byte_end


def _iterate_references(resolver: Resolver, symbol: Symbol) -> Iterator[Reference]:
    """Yield the references in a definition and its nested definitions, in source order."""
    scope = resolver.scope(symbol.path)
    inside = {
        position
        for position, item in enumerate(scope.definitions)
        if symbol.definition.byte_start <= item.byte_start and item.byte_end <= symbol.definition.byte_end
    }
    for item in scope.uses.references:
        if item.owner in inside:
            yield item


def _resolve_references(resolver: Resolver, symbol: Symbol, uses: list[Reference]) -> Iterator[Symbol]:
    seen: set[tuple[str, str]] = set()
    for item in uses:
        if (item.receiver, item.name) in seen or len(seen) >= _MAX_NAMES:
            continue
        seen.add((item.receiver, item.name))
        found = resolver.resolve(symbol.path, item.role, item.name, item.owner, item.receiver, item.line)
        if found.status == "resolved":
            yield resolver.view.symbol(*found.places[0])


def _find_users(resolver: Resolver, symbol: Symbol) -> Iterator[Symbol]:
    """Yield definitions that certainly use this one: sources before tests, near files first."""
    view, name = resolver.view, symbol.definition.name
    near = symbol.path.rpartition("/")[0]
    mentioned = {path: places for blob, places in view.snapshot.mentions(name) for path in view.paths.get(blob, ())}
    classifier = UseClassifier(resolver, symbol)
    order = sorted(mentioned, key=lambda path: (is_test(path), path.rpartition("/")[0] != near, path))
    for path in order[:_MAX_FILES]:
        for mention in mentioned[path]:
            use = classifier.classify(path, name, mention) if mention[0] != "import" and mention[3] >= 0 else None
            if use is not None and use.resolution == "resolved":
                yield view.symbol(path, use.owner)
