"""References: find every use of a symbol in a view and classify how certain it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.view.pinned_view import Symbol
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.call import Call
from codecompass.model.states import Resolution

KIND_OF_ROLE = {
    "call": "call", "instance": "call", "decorator": "call", "throw": "call", "read": "read", "write": "write",
    "key": "write",
    "import": "import", "type": "type", "inherit": "inherit",
}  # fmt: skip
_REASON_BY_STATUS = {"external": "outside", "own_member": "own_member"}
"""Status of a mention without a definition → reason why it is not a use."""
_RANK = {"resolved": 0, "ambiguous": 1, "unresolved": 2}


@dataclass(frozen=True, slots=True)
class UseSite:
    """One use: its position, role and certainty."""

    path: str
    line: int
    column: int
    role: str
    resolution: Resolution
    owner: int
    """Position of the innermost enclosing definition, or -1."""
    candidates: int
    name: str
    in_document: bool = False
    """Whether it is in a code block of a document."""

    @property
    def kind(self) -> str:
        return KIND_OF_ROLE[self.role]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One mention that is proved not to be a use, with the reason."""

    path: str
    line: int
    column: int
    role: str
    reason: str
    """One of `EXCLUSION_REASONS`."""
    places: tuple[tuple[str, int], ...] = ()
    """The definitions that it refers to, for `other_definition`."""
    receiver: str = ""
    """The receiver before the name."""

    @property
    def kind(self) -> str:
        return KIND_OF_ROLE[self.role]


class MentionSurvey(NamedTuple):
    """Every recorded mention of a symbol's name: the uses, certain ones first, and the exclusions."""

    uses: list[UseSite]
    excluded: list[Exclusion]


Mention = tuple[str, int, int, int, str]
MAX_ALIASES = 20
"""Maximum names under which a symbol is imported that are followed."""


class FileMentions(NamedTuple):
    """The mentions of one name in one file."""

    path: str
    name: str
    mentions: list[Mention]
    is_symbol_name: bool
    """Whether the name is the symbol's own here; another file may use an alias for something else."""


def find_uses(resolver: Resolver, symbol: Symbol, call: Call, phase: str = "") -> list[UseSite]:
    """Return all uses of a symbol, including uses under an alias, certain ones first, then by position."""
    return survey_mentions(resolver, symbol, call, phase).uses


def survey_mentions(resolver: Resolver, symbol: Symbol, call: Call, phase: str = "") -> MentionSurvey:
    """Classify every mention of a symbol's name and its import aliases in the view.

    With a phase, progress is reported per file under it; callers that process many symbols report those instead.
    """
    classifier = UseClassifier(resolver, symbol)
    found: dict[tuple[str, int, int], UseSite] = {}
    excluded: dict[tuple[str, int, int], Exclusion] = {}
    for number, (path, name, mentions, is_symbol_name) in enumerate(_iterate_mentions(resolver, symbol)):
        if phase:
            call.step(phase, number)
        for mention in mentions:
            # A generated file may mention a name a hundred thousand times.
            call.check()
            result = classifier.classify_or_exclude(path, name, mention)
            place = (path, result.line, result.column)
            if not is_symbol_name and (isinstance(result, Exclusion) or result.resolution == "unresolved"):
                continue
            if isinstance(result, UseSite):
                found.setdefault(place, result)
            else:
                excluded.setdefault(place, result)
    order = sorted(found.values(), key=lambda use: (_RANK[use.resolution], use.path, use.line, use.column))
    return MentionSurvey(order, [excluded[place] for place in sorted(excluded) if place not in found])


def _iterate_mentions(resolver: Resolver, symbol: Symbol) -> Iterator[FileMentions]:
    """Yield the mentions of the symbol's name, then of its import aliases, file by file.

    An alias that a file exports is followed into the files that import it, under whatever name these use.
    """
    view, name = resolver.view, symbol.definition.name
    aliased: dict[str, set[str]] = {}
    for blob, mentions in view.snapshot.mentions(name):
        for path in view.paths.get(blob, ()):
            yield FileMentions(path, name, mentions, True)
            if aliases := _find_aliases(resolver, path, name, mentions):
                aliased[path] = aliases
    waiting = sorted({alias for aliases in aliased.values() for alias in aliases})
    followed = {name}
    while waiting and len(followed) <= MAX_ALIASES:
        alias = waiting.pop(0)
        if alias in followed:
            continue
        followed.add(alias)
        for blob, mentions in view.snapshot.mentions(alias):
            for path in view.paths.get(blob, ()):
                if alias in aliased.get(path, ()):
                    yield FileMentions(path, alias, mentions, True)
                elif reached := _select_imported(resolver, path, alias, mentions):
                    yield FileMentions(path, alias, reached, False)
                    waiting += sorted(_find_aliases(resolver, path, alias, reached))


def _find_aliases(resolver: Resolver, path: str, name: str, mentions: list[Mention]) -> set[str]:
    """Return the other names under which a file imports a name."""
    if not any(role == "import" for role, *_ in mentions):
        return set()
    imports = resolver.scope(path).facts.imports
    return {item.alias for item in imports if item.name == name and item.alias and item.alias != name}


def _select_imported(resolver: Resolver, path: str, name: str, mentions: list[Mention]) -> list[Mention]:
    """Return the mentions that an import of the name, or of the module that exports it, may bind."""
    scope = resolver.scope(path)
    is_bound = (
        bool(scope.star_imports) or name in scope.imports or any(item.name == name for item in scope.facts.imports)
    )
    return [item for item in mentions if is_bound or (item[-1] and not item[-1].startswith(LOCAL))]


class UseClassifier:
    """Classifies mentions as uses of one symbol; facts about the symbol are computed once.

    A mention is excluded only on proof: the resolver knows with certainty that it refers to something else, or the
    rules of the language forbid it. Everything else is a use, at least an unresolved one.
    """

    def __init__(self, resolver: Resolver, symbol: Symbol) -> None:
        self._resolver = resolver
        self._symbol = symbol
        self._scope = resolver.scope(symbol.path)
        self._container = self._scope.find_container(symbol.position)
        self._is_member = self._container >= 0 or bool(symbol.definition.scope)

    def classify(self, path: str, name: str, mention: Mention) -> UseSite | None:
        """Return the mention as a use of the symbol, or None if it is proved to refer to something else."""
        found = self.classify_or_exclude(path, name, mention)
        return found if isinstance(found, UseSite) else None

    def classify_or_exclude(self, path: str, name: str, mention: Mention) -> UseSite | Exclusion:
        """Return the mention as a use of the symbol, or as an exclusion with the reason."""
        role, line, column, owner, receiver = mention
        if receiver == LOCAL:
            return Exclusion(path, line, column, role, "local_variable")
        before = self._resolver.doubts
        outcome = self._resolver.resolve(path, role, name, owner, receiver, line)
        certain = self._resolver.doubts == before
        if outcome.places and self._is_target(outcome.places):
            return UseSite(path, line, column, role, outcome.certainty, owner, len(outcome.places), name)
        if outcome.places and certain:
            return Exclusion(path, line, column, role, "other_definition", outcome.places, receiver)
        proof = _REASON_BY_STATUS.get(outcome.status) if certain else None
        if proof:
            return Exclusion(path, line, column, role, proof, (), receiver)
        rule = self._find_exclusion_rule(path, role, receiver)
        if rule:
            return Exclusion(path, line, column, role, rule, outcome.places, receiver)
        return UseSite(path, line, column, role, "unresolved", owner, max(1, self._same_name_count), name)

    def _is_target(self, places: tuple[tuple[str, int], ...]) -> bool:
        if (self._symbol.path, self._symbol.position) in places:
            return True
        scope, wanted = self._scope, self._symbol.definition
        return any(
            path == self._symbol.path
            and scope.find_container(at) == self._container
            and scope.definitions[at].scope == wanted.scope
            and scope.definitions[at].name == wanted.name
            for path, at in places
        )

    def _find_exclusion_rule(self, path: str, role: str, receiver: str) -> str:
        """Return the rule that forbids an unresolved mention from referring to the symbol, or empty."""
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
    def _same_name_count(self) -> int:
        """Number of definitions of the same name in the view."""
        view, name = self._resolver.view, self._symbol.definition.name
        rows = view.snapshot.find_symbols(name.casefold(), prefix=False, limit=1_000)
        return sum(len(view.paths.get(row.blob, ())) for row in rows if row.name == name)
