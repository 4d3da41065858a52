"""Certain resolver: counts uncertain answers, so that a mention is excluded only on proof.

The base resolver follows what it can and ignores the rest: a variable with one known and one unknown value counts as
the known one. That suits finding the likely meaning of a name, but does not prove what a name cannot mean. This
resolver gives the same answers and increments `doubts` whenever an answer depends on something unknown. The doubt is
stored with a cached answer and counted again on each use.
"""

from collections.abc import Callable

from codecompass.engine.navigation.imports.module_index import ModuleIndex
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.type_syntax import parse_type
from codecompass.engine.navigation.resolver.values import EXTERNAL, Entities, Entity, NameResolution
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.languages.extraction.name_chains import LITERAL, LOCAL, UNKNOWN
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.model.code.facts import Binding, Import

_TYPES = ("def", "instance")


class CertainResolver(Resolver):
    """A resolver that increments `doubts` for every answer that may be incomplete."""

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        super().__init__(view, modules)
        self._doubtful: set[tuple[object, ...]] = set()
        self._outside_steps = 0

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
        self.doubts += bool(types)
        return outcome

    def _assigns_member(self, entity: Entity, name: str) -> bool:
        """Return whether a type assigns a member that has no definition; the assigned value does not matter."""
        doubts = self.doubts
        found = bool(self.find_bound_member(entity, name, 0))
        self.doubts = doubts
        return found

    def _find_lookup_owner(self, path: str, owner: int, line: int) -> int:
        """Return the lookup scope; decorators and defaults of a function belong to the enclosing body."""
        scope = self.scope(path)
        if owner < 0 or not scope.rule.body_scope or scope.definitions[owner].kind not in FUNCTIONS:
            return owner
        item = scope.definitions[owner]
        in_head = line < item.name_line or (line == item.name_line and item.line_end > line)
        return item.parent if in_head else owner

    # -- sources of doubt ------------------------------------------------------------------------------------------

    def values(self, path: str, bound: list[Binding], depth: int, place: int = -1) -> Entities:
        """Evaluate bindings; each unknown one is a doubt."""
        asked = [item for item in bound if item.how == "type"] or bound
        if len(asked) < 2 or any(item.how == "test" for item in asked):
            found = super().values(path, bound, depth, place)
            self.doubts += not found
            return found
        known = [super(CertainResolver, self).values(path, [item], depth, place) for item in asked]
        self.doubts += not all(known)
        return self._merge(known)

    def instantiate(self, path: str, scope_at: int, text: str, depth: int = 0) -> Entities:
        """Return instances of a written type; external generic types and unconstrained types may have any member."""
        found = super().instantiate(path, scope_at, text, depth)
        names = parse_type(text)
        if any(self._is_unconstrained(path, scope_at, item.name, bool(item.arguments), depth) for item in names):
            self.doubts += 1
        elif "{" in text and found:
            self.doubts += 1  # inline object types are not followed
        return found

    def _is_unconstrained(self, path: str, scope_at: int, name: str, takes: bool, depth: int) -> bool:
        rule, last = self.scope(path).rule, name.rpartition(".")[2]
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
            self.doubts += 1
        return found

    def _evaluate(self, path: str, owner: int, text: str, depth: int, at: int) -> Entities:
        """Evaluate a chain; members of an external object may be ours, members of an external module are not."""
        scope = self.scope(path)
        if text.startswith(LITERAL):
            self.doubts += scope.rule.object_literals
            return super()._evaluate(path, owner, text, depth, at)
        before, self._outside_steps = self._outside_steps, 0
        found = super()._evaluate(path, owner, text, depth, at)
        if self._outside_steps and not _is_module_path(scope, text):
            self.doubts += 1
        self._outside_steps = before
        return found

    def _resolve_in_file(self, scope: FileScope, name: str, depth: int, owner: int = -1) -> Entities:
        """Resolve a top-level name; an unbound one may be defined globally at run time."""
        found = super()._resolve_in_file(scope, name, depth, owner)
        if found == (EXTERNAL,) and name not in scope.imports and name not in scope.rule.builtins:
            self.doubts += 1
        return found

    def _resolve_import(self, path: str, item: Import, depth: int) -> Entities:
        found = super()._resolve_import(path, item, depth)
        self.doubts += not found
        return found

    # -- bookkeeping -----------------------------------------------------------------------------------------------

    def _memoize(self, key: tuple[object, ...], depth: int, make: Callable[[], Entities]) -> Entities:
        """Compute each key once; the doubt is stored with the answer and counted again."""
        if key in self._memo:
            self.doubts += key in self._doubtful
            return self._memo[key]
        before = self.doubts
        found = super()._memoize(key, depth, make)
        if depth > MAX_DEPTH:
            self.doubts += 1
        if self.doubts > before:
            self._doubtful.add(key)
        return found


def _is_module_path(scope: FileScope, text: str) -> bool:
    """Return whether a chain is a path below a module that the file imports as a whole."""
    head, _, _ = text.partition(".")
    if text.startswith((LOCAL, UNKNOWN)) or "(" in text or "[" in text:
        return False
    return any(item.name in ("", "*", "default") for item in scope.imports.get(head, ()))
