"""Related code: types a definition names, its callees and its users.

Only certain resolutions count; a similar name is no evidence.
"""

from collections.abc import Iterator

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.references import KIND_OF_ROLE, Judge
from codecompass.engine.search.paths.path_index import is_test
from codecompass.engine.view.pinned_view import PinnedView, Symbol, shown
from codecompass.model.code.facts import Reference
from codecompass.model.code.kinds import CONTAINER
from codecompass.model.queries.results import SymbolPlace

MOST = 5
_OF_ONE_SORT = 3
_NAMES = 40
"""Maximum names of one body looked up; a longer body has five related definitions well before that."""
_FILES = 25
"""Maximum files searched for users of a definition, nearest first."""
_TYPES = CONTAINER | {"type"}


def related(resolver: Resolver, symbol: Symbol) -> tuple[SymbolPlace, ...]:
    """Return at most five related definitions: types first, then callees, then users."""
    uses = list(_uses(resolver, symbol))
    sorts = (
        _resolved(resolver, symbol, [item for item in uses if item.role in ("inherit", "type")]),
        _resolved(resolver, symbol, [item for item in uses if KIND_OF_ROLE[item.role] == "call"]),
        _users(resolver, symbol),
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
            if taken < _OF_ONE_SORT:
                found[key] = other
            else:
                spare.setdefault(key, other)
            taken += 1
            if taken > MOST:
                break
    chosen = [*found.values(), *(other for key, other in spare.items() if key not in found)][:MOST]
    return tuple(place_of(other) for other in chosen)


def place_of(symbol: Symbol) -> SymbolPlace:
    return SymbolPlace(symbol.definition.kind, symbol.definition.name, shown(symbol.path), symbol.definition.line_start)


def parent_of(view: PinnedView, symbol: Symbol) -> SymbolPlace | None:
    """Return the enclosing definition of a member."""
    above = symbol.definition.parent
    return place_of(view.symbol(symbol.path, above)) if above >= 0 else None


def _encloses(outer: Symbol, inner: Symbol) -> bool:
    one, two = outer.definition, inner.definition
    return outer.path == inner.path and one.byte_start <= two.byte_start and two.byte_end <= one.byte_end


def _uses(resolver: Resolver, symbol: Symbol) -> Iterator[Reference]:
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


def _resolved(resolver: Resolver, symbol: Symbol, uses: list[Reference]) -> Iterator[Symbol]:
    seen: set[tuple[str, str]] = set()
    for item in uses:
        if (item.receiver, item.name) in seen or len(seen) >= _NAMES:
            continue
        seen.add((item.receiver, item.name))
        found = resolver.resolve(symbol.path, item.role, item.name, item.owner, item.receiver, item.line)
        if found.status == "resolved":
            yield resolver.view.symbol(*found.places[0])


def _users(resolver: Resolver, symbol: Symbol) -> Iterator[Symbol]:
    """Yield definitions that certainly use this one: sources before tests, near files first."""
    view, name = resolver.view, symbol.definition.name
    near = symbol.path.rpartition("/")[0]
    mentioned = {path: places for blob, places in view.snapshot.mentions(name) for path in view.paths.get(blob, ())}
    classifier = Judge(resolver, symbol)
    order = sorted(mentioned, key=lambda path: (is_test(path), path.rpartition("/")[0] != near, path))
    for path in order[:_FILES]:
        for mention in mentioned[path]:
            use = classifier.use(path, name, mention) if mention[0] != "import" and mention[3] >= 0 else None
            if use is not None and use.resolution == "resolved":
                yield view.symbol(path, use.owner)
