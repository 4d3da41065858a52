"""References: every use of a symbol in a view, told apart by how sure it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

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
    in_document: bool = False
    """It stands in a code block of a document."""

    @property
    def kind(self) -> str:
        return KIND_OF_ROLE[self.role]


Mention = tuple[str, int, int, int, str]


def uses_of(resolver: Resolver, symbol: Symbol, call: Call, phase: str = "") -> list[UseSite]:
    """All uses of a symbol, sure ones first, then by place. Uses under another name (aliases) are among them.

    With a phase the files are reported under it; callers that ask for many symbols report those instead.
    """
    judge = Judge(resolver, symbol)
    found: dict[tuple[str, int, int], UseSite] = {}
    for number, (path, name, mentions) in enumerate(_mentioned(resolver, symbol, set())):
        if phase:
            call.step(phase, number)
        for mention in mentions:
            # A generated file may mention a name a hundred thousand times.
            call.check()
            use = judge.use(path, name, mention)
            if use is not None:
                found.setdefault((path, use.line, use.column), use)
    return sorted(found.values(), key=lambda use: (_RANK[use.resolution], use.path, use.line, use.column))


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


class Judge:
    """Says of mentions whether they are uses of one symbol; what must be known of the symbol is found once."""

    def __init__(self, resolver: Resolver, symbol: Symbol) -> None:
        self._resolver = resolver
        self._symbol = symbol
        self._scope = resolver.scope(symbol.path)
        self._home = self._scope.home(symbol.position)
        self._is_member = self._home >= 0 or bool(symbol.definition.scope)

    def use(self, path: str, name: str, mention: Mention) -> UseSite | None:
        """A mention as a use of the symbol, or None when it is known to mean something else."""
        role, line, column, owner, receiver = mention
        if receiver == LOCAL:
            return None
        outcome = self._resolver.resolve(path, role, name, owner, receiver, line)
        if outcome.places:
            if not self._meant(outcome.places):
                return None
            return UseSite(path, line, column, role, outcome.status, owner, len(outcome.places), name)
        if outcome.status == "external" or not self._possible(path, role, receiver):
            return None
        return UseSite(path, line, column, role, "unresolved", owner, max(1, self._twins), name)

    def _meant(self, places: tuple[tuple[str, int], ...]) -> bool:
        if (self._symbol.path, self._symbol.position) in places:
            return True
        scope, wanted = self._scope, self._symbol.definition
        return any(
            path == self._symbol.path
            and scope.home(at) == self._home
            and scope.definitions[at].scope == wanted.scope
            and scope.definitions[at].name == wanted.name
            for path, at in places
        )

    def _possible(self, path: str, role: str, receiver: str) -> bool:
        """Whether an unexplained mention can be meant at all: a member needs a receiver, and a common language."""
        theirs = self._resolver.scope(path)
        if self._scope.rule.imports != theirs.rule.imports or role == "import":
            return False
        if not self._is_member:
            return not receiver
        return bool(receiver) or (theirs.rule.bare_members and self._symbol.definition.kind in CALLABLE)

    @cached_property
    def _twins(self) -> int:
        """How many definitions of the same name the view holds."""
        view, name = self._resolver.view, self._symbol.definition.name
        rows = view.snapshot.symbols_named(name.casefold(), prefix=False, limit=1_000)
        return sum(len(view.paths.get(row.blob, ())) for row in rows if row.name == name)
