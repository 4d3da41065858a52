"""Calls: who calls a symbol and whom it calls, several steps deep."""

from collections.abc import Callable
from dataclasses import dataclass

from codecompass.engine.navigate.references import KIND_OF_ROLE, uses_of
from codecompass.engine.navigate.resolve import Resolver
from codecompass.engine.view import Symbol
from codecompass.languages.chains import LOCAL
from codecompass.model.call import Call
from codecompass.model.code import Definition

MAX_NODES = 300
"""Symbols whose calls are followed; a graph beyond that is no answer any more."""
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Edge:
    """One call. `other` is the far end, `via` the near one."""

    other: Place | None
    name: str
    path: str
    line: int
    column: int
    depth: int
    resolution: str
    via: Place | None


def callers_of(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> list[Edge]:
    """Calls of a symbol, of its callers, and so on; each caller is followed once."""
    return _followed(resolver, symbol, depth, call, lambda one, step: _calls_of(resolver, one, step, call))


def callees_of(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> list[Edge]:
    """Calls that a symbol makes, that its callees make, and so on; calls out of the repository are left out."""
    return _followed(resolver, symbol, depth, call, lambda one, step: _calls_in(resolver, one, step, call))


def _followed(
    resolver: Resolver, symbol: Symbol, depth: int, call: Call, edges: Callable[[Symbol, int], list[Edge]]
) -> list[Edge]:
    """Edges level by level; the far end of a sure one is followed, each symbol once."""
    found: list[Edge] = []
    seen: set[Place] = {(symbol.path, symbol.position)}
    level = [symbol]
    followed = 0
    for step in range(1, depth + 1):
        following: list[Symbol] = []
        for one in level:
            call.step("calls", followed, len(seen))
            followed += 1
            for edge in edges(one, step):
                found.append(edge)
                far = edge.other
                if far and far not in seen and edge.resolution == "resolved" and len(seen) < MAX_NODES:
                    seen.add(far)
                    following.append(resolver.view.symbol(*far))
        level = following
    return found


def _calls_of(resolver: Resolver, symbol: Symbol, step: int, call: Call) -> list[Edge]:
    near = (symbol.path, symbol.position)
    return [
        Edge(_function(resolver, site.path, site.owner), site.name, site.path, site.line, site.column, step,
             site.resolution, near)
        for site in uses_of(resolver, symbol, call)
        if site.kind == "call"
    ]  # fmt: skip


def _calls_in(resolver: Resolver, symbol: Symbol, step: int, call: Call) -> list[Edge]:
    scope = resolver.scope(symbol.path)
    inside = _within(scope.definitions, symbol.position)
    found = []
    for item in scope.uses.references:
        if item.owner not in inside or KIND_OF_ROLE[item.role] != "call":
            continue
        call.check()
        outcome = resolver.resolve(symbol.path, item.role, item.name, item.owner, item.receiver, item.line)
        near = (symbol.path, symbol.position)
        place = (symbol.path, item.line, item.col)
        if outcome.status == "external" or (item.receiver == LOCAL and not outcome.places):
            continue
        if not outcome.places:
            found.append(Edge(None, item.name, *place, step, "unresolved", near))
        found += [
            Edge(target, item.name, *place, step, outcome.status, near)
            for target in _one_of_each(resolver, outcome.places)
        ]
    return found


def _within(definitions: tuple[Definition, ...], position: int) -> set[int]:
    """A definition and everything in it."""
    found = {position}
    for at in range(position + 1, len(definitions)):
        if definitions[at].parent in found:
            found.add(at)
    return found


def _one_of_each(resolver: Resolver, places: tuple[Place, ...]) -> list[Place]:
    """Overloads count once."""
    found: dict[tuple[object, ...], Place] = {}
    for place in places:
        found.setdefault(resolver.logical(*place), place)
    return list(found.values())


def _function(resolver: Resolver, path: str, owner: int) -> Place | None:
    """The function around a call; a call in a type's body or at file level belongs to that."""
    around = resolver.scope(path).functions(owner)
    if around:
        return path, around[0]
    return (path, owner) if owner >= 0 else None
