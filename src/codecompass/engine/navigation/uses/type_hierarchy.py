"""Type hierarchy: supertypes and subtypes of a type."""

from dataclasses import dataclass, field

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.values import Thing
from codecompass.engine.navigation.uses.references import uses_of
from codecompass.engine.view.pinned_view import Symbol
from codecompass.model.call import Call

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Branch:
    """A type in the tree; without a place it is external or unresolved."""

    place: Place | None
    name: str
    resolution: str
    depth: int
    children: list["Branch"] = field(default_factory=list)


def supertypes_of(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> list[Branch]:
    """Return the supertypes of a type as a tree."""
    return _above(resolver, (symbol.path, symbol.position), 1, depth, {(symbol.path, symbol.position)}, call)


def _above(resolver: Resolver, place: Place, step: int, depth: int, seen: set[Place], call: Call) -> list[Branch]:
    if step > depth:
        return []
    call.check()
    path, position = place
    scope = resolver.scope(path)
    found = []
    for block in resolver.blocks(Thing("def", path, position)):
        for item in scope.bases.get(block, ()):
            around = scope.definitions[block].parent
            outcome = resolver.resolve(path, "inherit", item.name, around, item.receiver, item.line)
            if not outcome.places:
                found.append(Branch(None, item.name, outcome.status, step))
            for one in outcome.places:
                children = [] if one in seen else _above(resolver, one, step + 1, depth, seen | {one}, call)
                found.append(Branch(one, item.name, outcome.status, step, children))
    return found


def subtypes_of(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> list[Branch]:
    """Return the subtypes of a type as a tree."""
    return _below(resolver, symbol, 1, depth, {(symbol.path, symbol.position)}, call)


def _below(resolver: Resolver, symbol: Symbol, step: int, depth: int, seen: set[Place], call: Call) -> list[Branch]:
    if step > depth:
        return []
    call.step("subtypes", len(seen) - 1)
    found = []
    for site in uses_of(resolver, symbol, call):
        if site.role != "inherit" or site.owner < 0:
            continue
        place = _type_of(resolver, site.path, site.owner)
        if place in seen:
            continue
        seen.add(place)
        below = resolver.view.symbol(*place)
        children = _below(resolver, below, step + 1, depth, seen, call)
        found.append(Branch(place, below.definition.name, site.resolution, step, children))
    return found


def _type_of(resolver: Resolver, path: str, owner: int) -> Place:
    """Return the type that an impl block is for, or the definition itself."""
    if resolver.scope(path).definitions[owner].kind == "impl":
        for entity in resolver.around(path, owner):
            return entity.path, entity.position
    return path, owner
