"""Target symbol: the symbol a caller refers to, with its overloads and the re-exports that led to it."""

from dataclasses import dataclass, replace

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.values import Entity
from codecompass.engine.navigation.symbols.overloads import find_implementation
from codecompass.engine.navigation.symbols.reexports import ReexportedSymbol, ReexportStep, find_reexported, follow_use
from codecompass.engine.navigation.symbols.symbol_nodes import build_symbol_node
from codecompass.engine.navigation.symbols.target import find_targets
from codecompass.engine.view.pinned_view import Symbol
from codecompass.errors import Failure
from codecompass.model.path_text import display_path
from codecompass.model.queries.navigation_queries import SymbolNode, SymbolTarget

MAX_OTHERS = 5
MAX_OVERLOADS = 20


@dataclass(frozen=True, slots=True)
class TargetSymbol:
    """The chosen symbol among those that match a request."""

    resolver: Resolver
    symbol: Symbol
    overloads: tuple[Symbol, ...] = ()
    reexport_steps: tuple[ReexportStep, ...] = ()
    other_symbols: tuple[Symbol, ...] = ()

    @property
    def node(self) -> SymbolNode:
        """The symbol node with its overloads and the re-exports that led to it."""
        view = self.resolver.view
        lines = tuple((display_path(one.path), one.definition.line_start) for one in self.overloads[:MAX_OVERLOADS])
        reached = tuple((display_path(one.path), one.line) for one in self.reexport_steps)
        return replace(build_symbol_node(view, self.symbol), overloads=lines, reached_by=reached)

    @property
    def others(self) -> tuple[SymbolNode, ...]:
        return tuple(build_symbol_node(self.resolver.view, one) for one in self.other_symbols[:MAX_OTHERS])


def find_target_symbol(resolver: Resolver, target: SymbolTarget) -> TargetSymbol:
    """Find the target symbol; raise a Failure if there is none."""
    found, chain = _find_symbols(resolver, target)
    symbol, overloads = find_implementation(resolver, found[0])
    if target.name is None:  # a handle or position refers to exactly one definition
        overloads = tuple(one for one in (symbol, *overloads) if one != found[0])
        symbol = found[0]
    own = {symbol, *overloads}
    return TargetSymbol(resolver, symbol, overloads, chain, tuple(one for one in found if one not in own))


def _find_symbols(resolver: Resolver, target: SymbolTarget) -> tuple[list[Symbol], tuple[ReexportStep, ...]]:
    """Return the matching symbols and the re-exports that led to the first; `Type.member` may be inherited."""
    try:
        found = find_targets(resolver.view, target)
        if target.name is None or any(one.definition.kind != "use" for one in found):
            return found, ()
        # Follow a re-exporting statement to its definition, unless it leads out of the repository.
        reached = [one for use in found for one in follow_use(resolver, use)]
        return (_dedupe_symbols(reached), reached[0].steps) if reached else (found, ())
    except Failure as failure:
        if failure.code != "SYMBOL_NOT_FOUND" or target.handle or target.line or not target.name:
            raise
        within = (target.path or "").strip().removeprefix("./").strip("/")
        reached = [one for one in find_reexported(resolver, target.name) if one.symbol.path.startswith(within)]
        if reached:
            return _dedupe_symbols(reached), reached[0].steps
        found = _find_inherited(resolver, target)
        if not found:
            raise
        return found, ()


def _dedupe_symbols(reached: list[ReexportedSymbol]) -> list[Symbol]:
    return list(dict.fromkeys(one.symbol for one in reached))


def _find_inherited(resolver: Resolver, target: SymbolTarget) -> list[Symbol]:
    owner, dot, name = (target.name or "").replace("::", ".").rpartition(".")
    if not dot or not owner:
        return []
    try:
        types = find_targets(resolver.view, SymbolTarget(name=owner, path=target.path))
    except Failure:
        return []
    members = (
        resolver.view.symbol(entity.path, entity.position)
        for one in types
        for entity in resolver.member(Entity("def", one.path, one.position), name)
        if entity.kind == "def"
    )
    return list(dict.fromkeys(members))
