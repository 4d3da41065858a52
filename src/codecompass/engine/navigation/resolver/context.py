"""Lookup context: what the parts of one resolver share.

The parts need each other: a member may be inherited from a type whose name is resolved through an import, which is a
member of a module. Each part gets the parts created before it in its constructor, and reaches those created after it
through `LaterParts`, which refers to them weakly. So the parts form no reference cycle, and a resolver is freed with
its view as soon as the call ends.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from codecompass.engine.navigation.imports.module_index import ModuleIndex
from codecompass.engine.navigation.resolver.includes import Linkage
from codecompass.engine.navigation.resolver.scopes import FileScopes
from codecompass.engine.navigation.resolver.values import MAX_DEPTH, Entities, Entity
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Binding

MemoKey = tuple[object, ...]


class DoubtCounter:
    """The number of uncertain answers; only the parts in `certain_resolver.py` increment it."""

    def __init__(self) -> None:
        self.count = 0


class Memo:
    """The answers already computed in one view."""

    def __init__(self, doubts: DoubtCounter) -> None:
        self._doubts = doubts
        self._known: dict[MemoKey, Entities] = {}
        self._busy: set[MemoKey] = set()
        self._cuts = 0

    def compute(self, key: MemoKey, depth: int, make: Callable[[], Entities]) -> Entities:
        """Compute each key once; a recursive request for the same key returns nothing."""
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._busy or depth > MAX_DEPTH:
            self._cuts += 1
            return ()
        self._busy.add(key)
        cuts = self._cuts
        try:
            found = make()
        finally:
            self._busy.discard(key)
        # An answer cut short by recursion may be more complete when requested from elsewhere, so do not cache it.
        if cuts == self._cuts or not self._busy:
            self._known[key] = found
        return found


@dataclass(frozen=True, slots=True)
class LookupContext:
    """One view and the tables computed from it; refers to no part of the resolver."""

    view: PinnedView
    modules: ModuleIndex
    scopes: FileScopes
    linkage: Linkage
    memo: Memo
    doubts: DoubtCounter


class MemberSource(Protocol):
    """Members and bases of types."""

    def member(self, entity: Entity, name: str, depth: int = 0) -> Entities:
        """Resolve `name` as a member of an entity."""

    def bases(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the base types of a type."""

    def find_self_type(self, path: str, owner: int) -> Entities:
        """Return the type that a definition belongs to."""


class ValueSource(Protocol):
    """Values of bindings, chains of names, definitions and written types."""

    def values(self, path: str, bound: list[Binding], depth: int, place: int = -1) -> Entities:
        """Evaluate bindings; outside functions their texts are resolved in the scope `place`."""

    def evaluate(self, path: str, owner: int, text: str, depth: int = 0, at: int = 0) -> Entities:
        """Evaluate a chain of names."""

    def evaluate_definition(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the value of a definition."""

    def instantiate(self, path: str, scope_at: int, text: str, depth: int = 0) -> Entities:
        """Return instances of a written type."""

    def find_bound_member(self, entity: Entity, name: str, depth: int) -> Entities:
        """Return values assigned to a member that has no definition."""

    def find_receiver(self, path: str, owner: int, until: int) -> Entities:
        """Return the receiver of the function around a definition."""


class LaterParts:
    """Weak references to the parts that earlier parts call back; the resolver owns them and connects them."""

    members: MemberSource
    values: ValueSource

    def connect(self, members: MemberSource, values: ValueSource) -> None:
        self.members = weakref.proxy(members)
        self.values = weakref.proxy(values)
