"""Call graph: callers and callees of a symbol, several levels deep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.references import KIND_OF_ROLE, find_uses
from codecompass.engine.view.pinned_view import Symbol
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.call import Call
from codecompass.model.code.facts import Definition
from codecompass.model.states import RESOLUTIONS, Resolution

MAX_NODES = 300
"""Maximum number of symbols whose calls are followed; a larger graph is not a useful answer."""
MAX_GUESSES = 10
"""Maximum unresolved callers of a common name to show; the rest are counted, and find_references lists them."""
COMMON_NAMES = frozenset(
    "add all any append apply assert bind call check clear clone close copy count create data delete emit end equal "
    "equals error exec execute exists exit extend fetch fill filter find first flush format from get handle has hash "
    "info init insert items iter join key keys last len length list load lock log main make map match merge name new "
    "next of off on open parse path poll pop post process push put query read reduce register remove render replace "
    "request reset resolve resume return run save search send set setup size skip slice sort split start state stop "
    "string sub success sync test text then to toString type unlock unwrap update use value values view wait walk "
    "warn with wrap write".lower().split()
)
"""Names that external libraries are just as likely to define."""
DefinitionKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Edge:
    """One call. `other` is the far end, `via` the near one."""

    other: DefinitionKey | None
    name: str
    path: str
    line: int
    column: int
    depth: int
    resolution: Resolution
    via: DefinitionKey | None
    candidates: int = 1
    """Number of definitions that the call may refer to."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The edges in one direction, certain ones first, and the number of symbols that were not followed."""

    edges: tuple[Edge, ...] = ()
    unfollowed: int = 0


def find_callers(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> Walk:
    """Return the calls of a symbol, of its callers, and so on; each caller is followed once."""
    return _walk_calls(resolver, symbol, depth, call, lambda one, step: _find_calls_to(resolver, one, step, call))


def find_callees(resolver: Resolver, symbol: Symbol, depth: int, call: Call) -> Walk:
    """Return the calls that a symbol makes, that its callees make, and so on, without external calls."""
    return _walk_calls(resolver, symbol, depth, call, lambda one, step: _find_calls_in(resolver, one, step, call))


def select_callers(edges: Sequence[Edge], limit: int) -> tuple[list[Edge], int]:
    """Return the edges to show, and the number of omitted guesses by a common name.

    A name such as `get` or `assert` matches calls all over a repository. Listing them all would bury the certain ones.
    """
    kept: list[Edge] = []
    guesses = 0
    for edge in edges:
        guesses += is_common_guess(edge)
        if guesses <= MAX_GUESSES or not is_common_guess(edge):
            kept.append(edge)
    return kept[:limit], len(edges) - len(kept)


def is_common_guess(edge: Edge) -> bool:
    """Return whether an edge is a guess by a common name: one with several definitions, or an everyday word."""
    return edge.resolution == "unresolved" and (edge.candidates > 1 or edge.name.strip("_").lower() in COMMON_NAMES)


def _walk_calls(
    resolver: Resolver, symbol: Symbol, depth: int, call: Call, edges: Callable[[Symbol, int], list[Edge]]
) -> Walk:
    """Collect edges level by level; follow the far end of resolved ones, each symbol once."""
    found: list[Edge] = []
    unfollowed: set[DefinitionKey] = set()
    seen: set[DefinitionKey] = {(symbol.path, symbol.position)}
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
                if not far or far in seen:
                    continue
                if edge.resolution == "resolved" and len(seen) < MAX_NODES:
                    seen.add(far)
                    following.append(resolver.view.symbol(*far))
                elif step < depth:
                    unfollowed.add(far)
        level = following
    ordered = sorted(found, key=lambda edge: RESOLUTIONS.index(edge.resolution))
    return Walk(tuple(ordered), len(unfollowed - seen))


def _find_calls_to(resolver: Resolver, symbol: Symbol, step: int, call: Call) -> list[Edge]:
    near = (symbol.path, symbol.position)
    return [
        Edge(_find_enclosing_function(resolver, site.path, site.owner), site.name, site.path, site.line, site.column,
             step, site.resolution, near, site.candidates)
        for site in find_uses(resolver, symbol, call)
        if site.kind == "call"
    ]  # fmt: skip


def _find_calls_in(resolver: Resolver, symbol: Symbol, step: int, call: Call) -> list[Edge]:
    scope = resolver.scope(symbol.path)
    inside = _collect_nested(scope.definitions, symbol.position)
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
        targets = _dedupe_overloads(resolver, outcome.places)
        found += [Edge(target, item.name, *place, step, outcome.certainty, near, len(targets)) for target in targets]
    return found


def _collect_nested(definitions: tuple[Definition, ...], position: int) -> set[int]:
    """Return a definition and everything nested in it."""
    found = {position}
    for at in range(position + 1, len(definitions)):
        if definitions[at].parent in found:
            found.add(at)
    return found


def _dedupe_overloads(resolver: Resolver, places: tuple[DefinitionKey, ...]) -> list[DefinitionKey]:
    """Keep one definition of each set of overloads."""
    found: dict[tuple[object, ...], DefinitionKey] = {}
    for place in places:
        found.setdefault(resolver.get_identity(*place), place)
    return list(found.values())


def _find_enclosing_function(resolver: Resolver, path: str, owner: int) -> DefinitionKey | None:
    """Return the function around a call, or else the enclosing definition; None at file level."""
    around = resolver.scope(path).list_functions(owner)
    if around:
        return path, around[0]
    return (path, owner) if owner >= 0 else None
