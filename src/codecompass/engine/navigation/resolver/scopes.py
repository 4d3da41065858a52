"""File scopes: lookup tables over one file's definitions, imports and bindings."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar, cast

from codecompass.engine.navigation.imports.module_index import ModuleIndex
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.languages.extraction.nesting import FUNCTIONS, TYPES
from codecompass.languages.language_spec import LanguageSpec, ResolveRule
from codecompass.languages.qualified_names import get_bound_name
from codecompass.model.code.facts import RECEIVER, Binding, Bindings, Definition, Facts, Import, Reference, References

T = TypeVar("T")
_NO_RULE = ResolveRule()
OTHER_FILE = -2
"""Container of a member whose type is unknown or in another file."""


class _cached_table(Generic[T]):
    """A lazily built table of a file, shared by all calls on one generation; it depends on the file's facts alone."""

    def __init__(self, make: Callable[["FileScope"], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, scope: "FileScope", _owner: type) -> T:
        found = scope.tables.get(self._name)
        if found is None:
            found = scope.tables[self._name] = self._make(scope)
        scope.__dict__[self._name] = found  # later accesses bypass this descriptor
        return cast("T", found)


class FileScope:
    """Lookups over the facts of one file; uses and values are loaded only when needed."""

    def __init__(
        self,
        path: str,
        facts: Facts,
        spec: LanguageSpec | None,
        load_uses: Callable[[], References],
        load_values: Callable[[], Bindings],
        tables: dict[str, object],
    ) -> None:
        self.path = path
        self.facts = facts
        self.spec = spec
        self.rule = spec.resolve if spec else _NO_RULE
        self._load_uses = load_uses
        self._load_values = load_values
        self.tables = tables
        """Tables of this file that earlier calls have built."""

    @cached_property
    def uses(self) -> References:
        return self._load_uses()

    @cached_property
    def values(self) -> Bindings:
        return self._load_values()

    @property
    def definitions(self) -> tuple[Definition, ...]:
        return self.facts.definitions

    @_cached_table
    def children(self) -> dict[tuple[int, str], list[int]]:
        """(position of the container, name) → positions; the file is -1. Re-exports count as imports."""
        found: dict[tuple[int, str], list[int]] = {}
        for position, item in enumerate(self.definitions):
            # An impl block has the name of its type.
            if item.kind not in ("use", "impl") and not self._is_outside(position):
                found.setdefault((self.find_container(position), item.name), []).append(position)
        for position, item in enumerate(self.definitions) if self.rule.spread_kinds else ():
            around = item.parent
            while around >= 0 and self.definitions[around].kind in self.rule.spread_kinds:
                around = self.definitions[around].parent
            if around != item.parent and item.kind not in ("use", "impl"):
                found.setdefault((around, item.name), [position])
        return found

    def _is_outside(self, position: int) -> bool:
        """Return whether a definition names its scope explicitly, so that it is not a member of what encloses it."""
        if self.rule.reach != "includes" and not self.rule.function_types:
            return False
        home = self.find_container(position)
        around = self.definitions[home] if home >= 0 else None
        inner = self._separator.join(part for part in (around.scope, around.name) if part) if around else ""
        return self.definitions[position].scope != inner

    @_cached_table
    def mixin_members(self) -> dict[str, dict[str, list[int]]]:
        """Name of a container → member name → positions of the members defined outside the container."""
        found: dict[str, dict[str, list[int]]] = {}
        for position, item in enumerate(self.definitions):
            if item.scope and item.kind != "use" and self._is_outside(position):
                found.setdefault(item.scope, {}).setdefault(item.name, []).append(position)
        return found

    @_cached_table
    def containers(self) -> frozenset[int]:
        """Positions of definitions that contain others."""
        return frozenset(home for home, _ in self.children)

    def find_container(self, position: int) -> int:
        """Return the container of a definition; not always the enclosing one (a parameter can declare a field)."""
        item = self.definitions[position]
        if item.kind == "field" and item.parent >= 0 and self.definitions[item.parent].kind in FUNCTIONS:
            around = self.find_type(item.parent)
            return around if around >= 0 else OTHER_FILE
        if item.parent < 0 and item.scope and item.kind == "method":
            return self._types.get(get_last_part(item.scope), OTHER_FILE)
        return item.parent

    @cached_property
    def _types(self) -> dict[str, int]:
        """Name → position of the top-level types of the file."""
        found: dict[str, int] = {}
        for position, item in enumerate(self.definitions):
            if item.parent < 0 and item.kind in TYPES and item.kind != "impl":
                found.setdefault(item.name, position)
        return found

    def find_module(self, line: int) -> int:
        """Return the innermost inline module around a line, or -1."""
        inside = [at for at in self._modules if self.definitions[at].line_start < line <= self.definitions[at].line_end]
        return inside[-1] if inside else -1

    @cached_property
    def _modules(self) -> list[int]:
        return [at for at, item in enumerate(self.definitions) if item.kind == "mod"]

    def is_module_and_import(self, name: str) -> bool:
        """Return whether a top-level name is both a module and an import; the use decides which one is meant."""
        top = self.children.get((-1, name), ())
        return name in self.imports and bool(self.rule.module_words) and all(at in self._modules for at in top)

    def select_nearest(self, items: list[Import], owner: int) -> list[Import]:
        """Of several imports of one name return those in the module that contains `owner`."""
        if len(items) < 2 or not self._modules:
            return items
        here = self.find_module(self.definitions[owner].line_end) if owner >= 0 else -1
        return [item for item in items if self.find_module(item.line) == here] or items

    @_cached_table
    def imports(self) -> dict[str, list[Import]]:
        """Bound name → the imports that bind it."""
        found: dict[str, list[Import]] = {}
        for item in self.facts.imports:
            name = get_bound_name(self.spec, item)
            if name:
                found.setdefault(name, []).append(item)
        return found

    @property
    def _separator(self) -> str:
        return self.spec.separator if self.spec else "."

    @_cached_table
    def star_imports(self) -> list[Import]:
        """Imports of all names of a module."""
        plain = self.rule.plain_import == "star"
        return [
            item
            for item in self.facts.imports
            if item.alias == "." or (not item.alias and (item.name == "*" or (plain and not item.name)))
        ]

    @_cached_table
    def impl_blocks(self) -> dict[str, list[int]]:
        """Name of a type → positions of its impl blocks."""
        found: dict[str, list[int]] = {}
        for position, item in enumerate(self.definitions):
            if item.kind == "impl":
                found.setdefault(item.name, []).append(position)
        return found

    @_cached_table
    def mixin_types(self) -> dict[int, list[int]]:
        """Position of a type → positions of nested types whose members are also its own (companion objects)."""
        found: dict[int, list[int]] = {}
        for position, item in enumerate(self.definitions) if self.rule.lending_word else ():
            if item.kind in TYPES and item.parent >= 0 and self.rule.lending_word in item.signature.split(" "):
                found.setdefault(item.parent, []).append(position)
        return found

    @_cached_table
    def bindings(self) -> dict[tuple[int, str], list[Binding]]:
        found: dict[tuple[int, str], list[Binding]] = {}
        for item in self.values.bindings:
            found.setdefault((item.owner, item.name), []).append(item)
        return found

    @_cached_table
    def bases(self) -> dict[int, list[Reference]]:
        """Position of a type → references to its base types."""
        found: dict[int, list[Reference]] = {}
        for item in self.values.bases:
            if item.owner >= 0:
                found.setdefault(item.owner, []).append(item)
        return found

    def get_receiver(self, position: int) -> str:
        """Return the receiver type of a function as text, or empty."""
        bound = self.bindings.get((position, RECEIVER))
        return bound[0].text if bound else ""

    def list_functions(self, owner: int) -> list[int]:
        """Return the functions around a definition, including itself, innermost first."""
        found = []
        while owner >= 0:
            if self.definitions[owner].kind in FUNCTIONS:
                found.append(owner)
            owner = self.definitions[owner].parent
        return found

    def find_type(self, owner: int) -> int:
        """Return the innermost type around a definition, including itself, or -1."""
        while owner >= 0 and not self.has_members(owner):
            owner = self.definitions[owner].parent
        return owner

    def has_members(self, position: int) -> bool:
        """Return whether a definition is a type, or has methods like a type."""
        kind = self.definitions[position].kind if position >= 0 else ""
        return kind in TYPES or bool(self.spec and kind in self.spec.methods_in)


class FileScopes:
    """The scopes of the files of a view, each made once."""

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        self._view = view
        self._modules = modules
        self._known: dict[str, FileScope] = {}

    def get(self, path: str) -> FileScope:
        known = self._known.get(path)
        if known is None:
            facts = self._view.facts(path)
            blob, snapshot = self._view.entries[path].blob, self._view.snapshot
            known = self._known[path] = FileScope(
                path,
                facts,
                self._view.spec(facts.language),
                lambda: snapshot.references(blob),
                lambda: snapshot.bindings(blob),
                self._modules.get_tables(path),
            )
        return known


def get_last_part(scope: str) -> str:
    """Return the last segment of a scope."""
    return re.split(r"::|[.#/]", scope)[-1] if scope else ""
