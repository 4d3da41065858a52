"""Type hierarchy: supertypes and subtypes of a type."""

from dataclasses import dataclass, field

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.values import Entity
from codecompass.engine.navigation.uses.references import find_uses
from codecompass.engine.view.pinned_view import Symbol
from codecompass.model.call import Call
from codecompass.model.states import NameStatus

DefinitionKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class TypeNode:
    """A type in the tree; without a place it is external or unresolved."""

    place: DefinitionKey | None
    name: str
    resolution: NameStatus
    depth: int
    children: list["TypeNode"] = field(default_factory=list)


def find_supertypes(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> list[TypeNode]:
    """Return the supertypes of a type as a tree."""
    return _collect_supertypes(
        resolver, (symbol.path, symbol.position), 1, depth, {(symbol.path, symbol.position)}, call
    )


def _collect_supertypes(
    resolver: Resolver, place: DefinitionKey, step: int, depth: int, seen: set[DefinitionKey], call: Call
) -> list[TypeNode]:
    if step > depth:
        return []
    call.check()
    path, position = place
    scope = resolver.scope(path)
    found = []
    for block in resolver.blocks(Entity("def", path, position)):
        for item in scope.bases.get(block, ()):
            around = scope.definitions[block].parent
            outcome = resolver.resolve(path, "inherit", item.name, around, item.receiver, item.line)
            if not outcome.places:
                found.append(TypeNode(None, item.name, outcome.status, step))
            for one in outcome.places:
                children = (
                    [] if one in seen else _collect_supertypes(resolver, one, step + 1, depth, seen | {one}, call)
                )
                found.append(TypeNode(one, item.name, outcome.status, step, children))
    return found


def find_subtypes(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> list[TypeNode]:
    """Return the subtypes of a type as a tree."""
    return _collect_subtypes(resolver, symbol, 1, depth, {(symbol.path, symbol.position)}, call)


def _collect_subtypes(
    resolver: Resolver, symbol: Symbol, step: int, depth: int, seen: set[DefinitionKey], call: Call
) -> list[TypeNode]:
    if step > depth:
        return []
    call.step("subtypes", len(seen) - 1)
    found = []
    for site in find_uses(resolver, symbol, call):
        if site.role != "inherit" or site.owner < 0:
            continue
        place = _find_implemented_type(resolver, site.path, site.owner)
        if place in seen:
            continue
        seen.add(place)
        below = resolver.view.symbol(*place)
        children = _collect_subtypes(resolver, below, step + 1, depth, seen, call)
        found.append(TypeNode(place, below.definition.name, site.resolution, step, children))
    return found


def _find_implemented_type(resolver: Resolver, path: str, owner: int) -> DefinitionKey:
    """Return the type that an impl block is for, or the definition itself."""
    if resolver.scope(path).definitions[owner].kind == "impl":
        for entity in resolver.find_self_type(path, owner):
            return entity.path, entity.position
    return path, owner
