"""Scopes: what one file knows by itself — its definitions by name and nesting, its imports, its bindings."""

from collections.abc import Callable
from functools import cached_property

from codecompass.languages.nesting import FUNCTIONS, TYPES
from codecompass.languages.spec import LanguageSpec, ResolveRule
from codecompass.model.code import Binding, Definition, Facts, Import, Reference, Uses

_NO_RULE = ResolveRule()


class FileScope:
    """Look-ups over the facts of one file; the uses are loaded only when a question needs them."""

    def __init__(self, path: str, facts: Facts, spec: LanguageSpec | None, load: Callable[[], Uses]) -> None:
        self.path = path
        self.facts = facts
        self.spec = spec
        self.rule = spec.resolve if spec else _NO_RULE
        self._load = load

    @cached_property
    def uses(self) -> Uses:
        return self._load()

    @property
    def definitions(self) -> tuple[Definition, ...]:
        return self.facts.definitions

    @cached_property
    def children(self) -> dict[tuple[int, str], list[int]]:
        """(position of the definition around, name) → positions; -1 is the file. Mere re-exports are imports."""
        found: dict[tuple[int, str], list[int]] = {}
        for position, item in enumerate(self.definitions):
            if item.kind != "use":
                found.setdefault((self.home(position), item.name), []).append(position)
        return found

    @cached_property
    def holders(self) -> frozenset[int]:
        """Positions of definitions that hold others."""
        return frozenset(home for home, _ in self.children)

    def home(self, position: int) -> int:
        """The definition that another is a member of: not always the one around it (a parameter that is a field)."""
        item = self.definitions[position]
        if item.kind == "field" and item.parent >= 0 and self.definitions[item.parent].kind in FUNCTIONS:
            return self.type_around(item.parent)
        return item.parent

    @cached_property
    def imports(self) -> dict[str, list[Import]]:
        """Bound name → the imports that bind it."""
        found: dict[str, list[Import]] = {}
        for item in self.facts.imports:
            name = self._bound(item)
            if name:
                found.setdefault(name, []).append(item)
        return found

    def _bound(self, item: Import) -> str:
        if item.alias:
            return item.alias
        if item.name:
            return "" if item.name == "*" else item.name
        words = [word for word in item.module.replace("/", self._separator).split(self._separator) if word]
        if self.rule.plain_import == "root":
            return words[0] if words else ""
        return words[-1] if words and self.rule.plain_import == "last" else ""

    @property
    def _separator(self) -> str:
        return self.spec.separator if self.spec else "."

    @cached_property
    def stars(self) -> list[Import]:
        """Imports that bring in all names of a module."""
        plain = self.rule.plain_import == "star"
        return [
            item
            for item in self.facts.imports
            if not item.alias and (item.name == "*" or (plain and not item.name))
        ]

    @cached_property
    def bindings(self) -> dict[tuple[int, str], list[Binding]]:
        found: dict[tuple[int, str], list[Binding]] = {}
        for item in self.uses.bindings:
            found.setdefault((item.owner, item.name), []).append(item)
        return found

    @cached_property
    def bases(self) -> dict[int, list[Reference]]:
        """Position of a type → the mentions of what it inherits from."""
        found: dict[int, list[Reference]] = {}
        for item in self.uses.references:
            if item.role == "inherit" and item.owner >= 0:
                found.setdefault(item.owner, []).append(item)
        return found

    def functions(self, owner: int) -> list[int]:
        """The functions around a definition, itself included, innermost first."""
        found = []
        while owner >= 0:
            if self.definitions[owner].kind in FUNCTIONS:
                found.append(owner)
            owner = self.definitions[owner].parent
        return found

    def type_around(self, owner: int) -> int:
        """The innermost type around a definition, itself included, or -1."""
        while owner >= 0 and self.definitions[owner].kind not in TYPES:
            owner = self.definitions[owner].parent
        return owner
