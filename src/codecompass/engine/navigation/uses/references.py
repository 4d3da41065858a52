"""References: every use of a symbol in a view, told apart by how sure it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.view.pinned_view import Symbol
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.call import Call

KIND_OF_ROLE = {
    "call": "call", "instance": "call", "decorator": "call", "throw": "call", "read": "read", "write": "write",
    "key": "write",
    "import": "import", "type": "type", "inherit": "inherit",
}  # fmt: skip
_PROOFS = {"external": "outside", "own_member": "own_member"}
"""Outcome of a mention that leads to no definition → why it is no use."""
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


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One mention that is proved to be no use, with the proof."""

    path: str
    line: int
    column: int
    role: str
    reason: str
    """One of `EXCLUSION_REASONS`."""
    places: tuple[tuple[str, int], ...] = ()
    """The definitions that it means, for `other_definition`."""
    receiver: str = ""
    """What stands before the name."""

    @property
    def kind(self) -> str:
        return KIND_OF_ROLE[self.role]


class Survey(NamedTuple):
    """Every recorded mention of a symbol's name: the uses, sure ones first, and what is proved to be none."""

    uses: list[UseSite]
    excluded: list[Exclusion]


Mention = tuple[str, int, int, int, str]


def uses_of(resolver: Resolver, symbol: Symbol, call: Call, phase: str = "") -> list[UseSite]:
    """All uses of a symbol, sure ones first, then by place. Uses under another name (aliases) are among them."""
    return survey_mentions(resolver, symbol, call, phase).uses


def survey_mentions(resolver: Resolver, symbol: Symbol, call: Call, phase: str = "") -> Survey:
    """Judge every mention of a symbol's name in the view, and of the names it is imported under.

    With a phase the files are reported under it; callers that ask for many symbols report those instead.
    """
    judge = Judge(resolver, symbol)
    found: dict[tuple[str, int, int], UseSite] = {}
    excluded: dict[tuple[str, int, int], Exclusion] = {}
    for number, (path, name, mentions) in enumerate(_mentioned(resolver, symbol, set())):
        if phase:
            call.step(phase, number)
        for mention in mentions:
            # A generated file may mention a name a hundred thousand times.
            call.check()
            verdict = judge.judge(path, name, mention)
            place = (path, verdict.line, verdict.column)
            if isinstance(verdict, UseSite):
                found.setdefault(place, verdict)
            else:
                excluded.setdefault(place, verdict)
    order = sorted(found.values(), key=lambda use: (_RANK[use.resolution], use.path, use.line, use.column))
    return Survey(order, [excluded[place] for place in sorted(excluded) if place not in found])


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
    """Says of mentions whether they are uses of one symbol; what must be known of the symbol is found once.

    A mention is excluded only on proof: the resolver knows what it means, without a doubt, and that is something else,
    or the rules of the language say that it cannot be meant. Everything else is a use, at least an unresolved one.
    """

    def __init__(self, resolver: Resolver, symbol: Symbol) -> None:
        self._resolver = resolver
        self._symbol = symbol
        self._scope = resolver.scope(symbol.path)
        self._home = self._scope.home(symbol.position)
        self._is_member = self._home >= 0 or bool(symbol.definition.scope)

    def use(self, path: str, name: str, mention: Mention) -> UseSite | None:
        """A mention as a use of the symbol, or None when it is proved to mean something else."""
        found = self.judge(path, name, mention)
        return found if isinstance(found, UseSite) else None

    def judge(self, path: str, name: str, mention: Mention) -> UseSite | Exclusion:
        """A mention as a use of the symbol, or the proof that it is none."""
        role, line, column, owner, receiver = mention
        if receiver == LOCAL:
            return Exclusion(path, line, column, role, "local_variable")
        before = self._resolver.doubts
        outcome = self._resolver.resolve(path, role, name, owner, receiver, line)
        certain = self._resolver.doubts == before
        if outcome.places and self._meant(outcome.places):
            return UseSite(path, line, column, role, outcome.status, owner, len(outcome.places), name)
        if outcome.places and certain:
            return Exclusion(path, line, column, role, "other_definition", outcome.places, receiver)
        proof = _PROOFS.get(outcome.status) if certain else None
        if proof:
            return Exclusion(path, line, column, role, proof, (), receiver)
        rule = self._forbidden(path, role, receiver)
        if rule:
            return Exclusion(path, line, column, role, rule, outcome.places, receiver)
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

    def _forbidden(self, path: str, role: str, receiver: str) -> str:
        """The rule by which an unexplained mention cannot be meant, or nothing."""
        theirs = self._resolver.scope(path).rule
        if self._scope.rule.imports != theirs.imports:
            return "other_language"
        if self._is_member:
            is_bare = not receiver and not theirs.bare_members
            return "not_a_member" if is_bare or (role == "import" and not theirs.namespaces) else ""
        if not receiver:
            return ""
        is_value = receiver.startswith(LOCAL) or receiver.endswith(("()", "[]"))
        if receiver in (*theirs.self_words, *theirs.super_words) or (is_value and not theirs.module_objects):
            return "not_a_module"
        return ""

    @cached_property
    def _twins(self) -> int:
        """How many definitions of the same name the view holds."""
        view, name = self._resolver.view, self._symbol.definition.name
        rows = view.snapshot.symbols_named(name.casefold(), prefix=False, limit=1_000)
        return sum(len(view.paths.get(row.blob, ())) for row in rows if row.name == name)
