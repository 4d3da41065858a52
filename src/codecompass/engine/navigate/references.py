"""References: every use of a symbol in a view, told apart by how sure it is."""

from collections.abc import Iterator
from dataclasses import dataclass

from codecompass.engine.navigate.resolve import Resolver
from codecompass.engine.view import Symbol
from codecompass.languages.chains import LOCAL
from codecompass.model.call import Call
from codecompass.model.kinds import CALLABLE

KIND_OF_ROLE = {
    "call": "call", "instance": "call", "decorator": "call", "throw": "call", "read": "read", "write": "write",
    "import": "import", "type": "type", "inherit": "inherit",
}  # fmt: skip
_RANK = {"resolved": 0, "ambiguous": 1, "unresolved": 2}


@dataclass(frozen=True, slots=True)
class UseSite:
    """One use: where, what it does, how sure it is."""

    path: str
    line: int
    column: int
    role: str
    resolution: str
    """`resolved`, `ambiguous` or `unresolved`."""
    owner: int
    """Position of the innermost definition around it, or -1."""
    candidates: int
    name: str

    @property
    def kind(self) -> str:
        return KIND_OF_ROLE[self.role]


def uses_of(resolver: Resolver, symbol: Symbol, call: Call | None = None) -> list[UseSite]:
    """All uses of a symbol, sure ones first, then by place. Uses under another name (aliases) are among them."""
    found: dict[tuple[str, int, int], UseSite] = {}
    for path, name, mentions in _mentioned(resolver, symbol, set()):
        if call is not None:
            call.check()
        for role, line, column, owner, receiver in mentions:
            use = _judge(resolver, symbol, path, name, (role, line, column, owner, receiver))
            if use is not None:
                found.setdefault((path, line, column), use)
    return sorted(found.values(), key=lambda use: (_RANK[use.resolution], use.path, use.line, use.column))


Mention = tuple[str, int, int, int, str]


def _mentioned(resolver: Resolver, symbol: Symbol, seen: set[str]) -> Iterator[tuple[str, str, list[Mention]]]:
    """(path, name, mentions) of the symbol's name, then of the names it is imported under, file by file."""
    view, name = resolver.view, symbol.definition.name
    aliased: dict[str, set[str]] = {}
    for blob, mentions in view.snapshot.mentions(name):
        for path in view.paths.get(blob, ()):
            yield path, name, mentions
            if any(role == "import" for role, *_ in mentions):
                for item in resolver.scope(path).facts.imports:
                    if item.name == name and item.alias and item.alias != name:
                        aliased.setdefault(path, set()).add(item.alias)
    names = {alias for aliases in aliased.values() for alias in aliases}
    for alias in sorted(names - seen):
        for blob, mentions in view.snapshot.mentions(alias):
            for path in view.paths.get(blob, ()):
                if path in aliased and alias in aliased[path]:
                    yield path, alias, mentions


def _judge(resolver: Resolver, symbol: Symbol, path: str, name: str, mention: Mention) -> UseSite | None:
    """A mention as a use of the symbol, or None when it is known to mean something else."""
    role, line, column, owner, receiver = mention
    if receiver == LOCAL:
        return None
    outcome = resolver.resolve(path, role, name, owner, receiver, line)
    if outcome.places:
        if not _meant(resolver, symbol, outcome.places):
            return None
        return UseSite(path, line, column, role, outcome.status, owner, len(outcome.places), name)
    if outcome.status == "external" or not _possible(resolver, symbol, path, role, receiver):
        return None
    candidates = sum(1 for row in _twins(resolver, symbol))
    return UseSite(path, line, column, role, "unresolved", owner, max(1, candidates), name)


def _meant(resolver: Resolver, symbol: Symbol, places: tuple[tuple[str, int], ...]) -> bool:
    wanted = (symbol.path, symbol.position)
    if wanted in places:
        return True
    scope = resolver.scope(symbol.path)
    home = scope.home(symbol.position)
    return any(
        path == symbol.path
        and scope.home(at) == home
        and scope.definitions[at].name == symbol.definition.name
        for path, at in places
    )


def _possible(resolver: Resolver, symbol: Symbol, path: str, role: str, receiver: str) -> bool:
    """Whether an unexplained mention can mean the symbol at all: a member needs a receiver, and a common language."""
    mine, theirs = resolver.scope(symbol.path), resolver.scope(path)
    if mine.rule.imports != theirs.rule.imports or role == "import":
        return False
    is_member = mine.home(symbol.position) >= 0 or bool(symbol.definition.scope)
    if not is_member:
        return not receiver
    if not receiver:
        return theirs.rule.bare_members and symbol.definition.kind in CALLABLE
    return True


def _twins(resolver: Resolver, symbol: Symbol) -> Iterator[str]:
    """Definitions of the same name in the view."""
    name = symbol.definition.name
    for row in resolver.view.snapshot.symbols_named(name.casefold(), prefix=False, limit=1_000):
        if row.name == name:
            yield from resolver.view.paths.get(row.blob, ())
