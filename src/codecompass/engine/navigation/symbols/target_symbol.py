"""Target symbol: the symbol a caller refers to, with its overloads and the re-exports that led to it."""

from dataclasses import dataclass, replace

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.values import Thing
from codecompass.engine.navigation.symbols.overloads import find_implementation
from codecompass.engine.navigation.symbols.reexports import Passage, Reached, find_reexported, follow_use
from codecompass.engine.navigation.symbols.symbol_nodes import symbol_node
from codecompass.engine.navigation.symbols.target import find_targets
from codecompass.engine.view.pinned_view import Symbol, shown
from codecompass.errors import Failure
from codecompass.model.queries.navigation_queries import SymbolNode, Target

MAX_OTHERS = 5
MAX_OVERLOADS = 20


@dataclass(frozen=True, slots=True)
class Meant:
    """The chosen symbol among those that match a request."""

    resolver: Resolver
    symbol: Symbol
    overloads: tuple[Symbol, ...] = ()
    passages: tuple[Passage, ...] = ()
    rest: tuple[Symbol, ...] = ()

    @property
    def node(self) -> SymbolNode:
        """The symbol node with its overloads and the re-exports that led to it."""
        view = self.resolver.view
        lines = tuple((shown(one.path), one.definition.line_start) for one in self.overloads[:MAX_OVERLOADS])
        reached = tuple((shown(one.path), one.line) for one in self.passages)
        return replace(symbol_node(view, self.symbol), overloads=lines, reached_by=reached)

    @property
    def others(self) -> tuple[SymbolNode, ...]:
        return tuple(symbol_node(self.resolver.view, one) for one in self.rest[:MAX_OTHERS])


def find_meant(resolver: Resolver, target: Target) -> Meant:
    """Find the target symbol; raise a Failure if there is none."""
    found, chain = _find_symbols(resolver, target)
    symbol, overloads = find_implementation(resolver, found[0])
    if target.name is None:  # a handle or position refers to exactly one definition
        overloads = tuple(one for one in (symbol, *overloads) if one != found[0])
        symbol = found[0]
    own = {symbol, *overloads}
    return Meant(resolver, symbol, overloads, chain, tuple(one for one in found if one not in own))


def _find_symbols(resolver: Resolver, target: Target) -> tuple[list[Symbol], tuple[Passage, ...]]:
    """Return the matching symbols and the re-exports that led to the first; `Type.member` may be inherited."""
    try:
        found = find_targets(resolver.view, target)
        if target.name is None or any(one.definition.kind != "use" for one in found):
            return found, ()
        # Follow a re-exporting statement to its definition, unless it leads out of the repository.
        reached = [one for use in found for one in follow_use(resolver, use)]
        return (_unique(reached), reached[0].passages) if reached else (found, ())
    except Failure as failure:
        if failure.code != "SYMBOL_NOT_FOUND" or target.handle or target.line or not target.name:
            raise
        within = (target.path or "").strip().removeprefix("./").strip("/")
        reached = [one for one in find_reexported(resolver, target.name) if one.symbol.path.startswith(within)]
        if reached:
            return _unique(reached), reached[0].passages
        found = _inherited(resolver, target)
        if not found:
            raise
        return found, ()


def _unique(reached: list[Reached]) -> list[Symbol]:
    return list(dict.fromkeys(one.symbol for one in reached))


def _inherited(resolver: Resolver, target: Target) -> list[Symbol]:
    owner, dot, name = (target.name or "").replace("::", ".").rpartition(".")
    if not dot or not owner:
        return []
    try:
        types = find_targets(resolver.view, Target(name=owner, path=target.path))
    except Failure:
        return []
    members = (
        resolver.view.symbol(entity.path, entity.position)
        for one in types
        for entity in resolver.member(Thing("def", one.path, one.position), name)
        if entity.kind == "def"
    )
    return list(dict.fromkeys(members))
