"""Certain resolver: counts uncertain answers, so that a mention is excluded only on proof.

The plain resolver follows what it can and ignores the rest: a variable with one known and one unknown value counts as
the known one. That suits finding the likely meaning of a name, but does not prove what a name cannot mean. This
resolver gives the same answers and increments `doubts` whenever an answer depends on something unknown. It replaces
four parts of the plain resolver by ones that count. The doubt is stored with a cached answer and counted again on each
use.
"""

from collections.abc import Callable

from codecompass.engine.navigation.resolver.context import DoubtCounter, Memo, MemoKey
from codecompass.engine.navigation.resolver.evaluator import Evaluator
from codecompass.engine.navigation.resolver.import_lookup import ImportLookup
from codecompass.engine.navigation.resolver.name_lookup import NameLookup
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.type_syntax import parse_type
from codecompass.engine.navigation.resolver.values import EXTERNAL, MAX_DEPTH, Entities, Entity, NameResolution, merge
from codecompass.languages.extraction.name_chains import LITERAL, LOCAL, UNKNOWN
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.model.code.facts import Binding, Import

_TYPES = ("def", "instance")


class CertainMemo(Memo):
    """Stores the doubt with the answer and counts it again."""

    def __init__(self, doubts: DoubtCounter) -> None:
        super().__init__(doubts)
        self._doubtful: set[MemoKey] = set()

    def compute(self, key: MemoKey, depth: int, make: Callable[[], Entities]) -> Entities:
        if key in self._known:
            self._doubts.count += key in self._doubtful
            return self._known[key]
        before = self._doubts.count
        found = super().compute(key, depth, make)
        if depth > MAX_DEPTH:
            self._doubts.count += 1
        if self._doubts.count > before:
            self._doubtful.add(key)
        return found


class CertainImportLookup(ImportLookup):
    """Counts imports that resolve to nothing."""

    def resolve_import(self, path: str, item: Import, depth: int) -> Entities:
        found = super().resolve_import(path, item, depth)
        self._doubts.count += not found
        return found


class CertainNameLookup(NameLookup):
    """Counts unbound top-level names, which may be defined globally at run time."""

    def _resolve_in_file(self, scope: FileScope, name: str, depth: int, owner: int = -1) -> Entities:
        found = super()._resolve_in_file(scope, name, depth, owner)
        if found == (EXTERNAL,) and name not in scope.imports and name not in scope.rule.builtins:
            self._doubts.count += 1
        return found


class CertainEvaluator(Evaluator):
    """Counts values that are unknown or that may have members nobody knows."""

    _outside_steps = 0
    """Number of members of external objects in the chain that is being evaluated."""

    def values(self, path: str, bound: list[Binding], depth: int, place: int = -1) -> Entities:
        """Evaluate bindings; each unknown one is a doubt."""
        asked = [item for item in bound if item.how == "type"] or bound
        if len(asked) < 2 or any(item.how == "test" for item in asked):
            found = super().values(path, bound, depth, place)
            self._doubts.count += not found
            return found
        known = [super(CertainEvaluator, self).values(path, [item], depth, place) for item in asked]
        self._doubts.count += not all(known)
        return merge(known)

    def instantiate(self, path: str, scope_at: int, text: str, depth: int = 0) -> Entities:
        """Return instances of a written type; external generic types and unconstrained types may have any member."""
        found = super().instantiate(path, scope_at, text, depth)
        names = parse_type(text)
        if any(self._is_unconstrained(path, scope_at, item.name, bool(item.arguments), depth) for item in names):
            self._doubts.count += 1
        elif "{" in text and found:
            self._doubts.count += 1  # inline object types are not followed
        return found

    def _is_unconstrained(self, path: str, scope_at: int, name: str, takes: bool, depth: int) -> bool:
        rule, last = self._scope(path).rule, name.rpartition(".")[2]
        if last in rule.any_types:
            return True
        if not takes or last in rule.unwrap or last in rule.containers:
            return False
        return EXTERNAL in self._resolve_type_name(path, scope_at, name, depth)

    def _evaluate_step(self, entity: Entity, name: str, depth: int) -> Entities:
        """Evaluate a member; an externally inherited one may be anything."""
        found = super()._evaluate_step(entity, name, depth)
        if entity.kind == "external":
            self._outside_steps += 1
        elif entity.kind in _TYPES and EXTERNAL in found:
            self._doubts.count += 1
        return found

    def _evaluate(self, path: str, owner: int, text: str, depth: int, at: int) -> Entities:
        """Evaluate a chain; members of an external object may be ours, members of an external module are not."""
        scope = self._scope(path)
        if text.startswith(LITERAL) or text[:1].isdigit():
            self._doubts.count += scope.rule.object_literals or not scope.rule.closed_literals
            return super()._evaluate(path, owner, text, depth, at)
        before, self._outside_steps = self._outside_steps, 0
        found = super()._evaluate(path, owner, text, depth, at)
        if self._outside_steps and not _is_module_path(scope, text):
            self._doubts.count += 1
        self._outside_steps = before
        return found


class CertainResolver(Resolver):
    """A resolver that increments `doubts` for every answer that may be incomplete."""

    memo_class = CertainMemo
    import_class = CertainImportLookup
    name_class = CertainNameLookup
    evaluator_class = CertainEvaluator

    def resolve(self, path: str, role: str, name: str, owner: int, receiver: str, line: int) -> NameResolution:
        """Resolve one mention; a missing member of a known type is doubtful, whatever its base types are."""
        owner = self._find_lookup_owner(path, owner, line)
        outcome = super().resolve(path, role, name, owner, receiver, line)
        if outcome.places or not receiver or receiver == LOCAL:
            return outcome
        entities = self.evaluate(path, owner, receiver, 0, 2 * line + 1 if receiver.startswith(LOCAL) else 0)
        types = [entity for entity in entities if entity.kind in _TYPES]
        if types and len(types) == len(entities) and all(self._assigns_member(entity, name) for entity in types):
            return NameResolution("own_member")
        self._doubts.count += bool(types)
        return outcome

    def _assigns_member(self, entity: Entity, name: str) -> bool:
        """Return whether a type assigns a member that has no definition; the assigned value does not matter."""
        doubts = self._doubts.count
        found = bool(self._evaluator.find_bound_member(entity, name, 0))
        self._doubts.count = doubts
        return found

    def _find_lookup_owner(self, path: str, owner: int, line: int) -> int:
        """Return the lookup scope; decorators and defaults of a function belong to the enclosing body."""
        scope = self.scope(path)
        if owner < 0 or not scope.rule.body_scope or scope.definitions[owner].kind not in FUNCTIONS:
            return owner
        item = scope.definitions[owner]
        in_head = line < item.name_line or (line == item.name_line and item.line_end > line)
        return item.parent if in_head else owner


def _is_module_path(scope: FileScope, text: str) -> bool:
    """Return whether a chain is a path below a module that the file imports as a whole."""
    head, _, _ = text.partition(".")
    if text.startswith((LOCAL, UNKNOWN)) or "(" in text or "[" in text:
        return False
    return any(item.name in ("", "*", "default") for item in scope.imports.get(head, ()))
