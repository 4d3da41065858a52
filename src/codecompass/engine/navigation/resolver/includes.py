"""Includes: the names visible through includes, and the declarations that linkage merges.

Under linkage a name denotes one entity wherever it is declared and defined. The other declarations of a definition are
those of the same name in files that includes connect.
"""

from collections.abc import Callable, Iterable, Iterator

from codecompass.engine.navigation.imports.module_index import ModuleIndex
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, Entities, Entity
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Definition

MAX_ROWS = 2_000
MAX_DECLARATIONS = 40
_LINKED_KINDS = ("fn", "method", "var", "const", "field")
_FUNCTIONS = ("fn", "method")
_TYPES = ("class", "struct", "enum", "trait", "interface", "type")
DefinitionKey = tuple[str, int]


class Linkage:
    """Include visibility and linkage in one view, for the duration of the call that pinned it."""

    def __init__(self, view: PinnedView, modules: ModuleIndex, scope: Callable[[str], FileScope]) -> None:
        self._view = view
        self._modules = modules
        self._scope = scope
        self._direct: dict[str, list[str]] = {}
        self._visible: dict[str, frozenset[str]] = {}
        self._rows: dict[str, list[DefinitionKey]] = {}

    def find_visible(self, path: str) -> frozenset[str]:
        """Return a file and everything it includes, directly or indirectly."""
        known = self._visible.get(path)
        if known is None:
            found, waiting = {path}, [path]
            while waiting:
                for other in self._find_includes(waiting.pop()):
                    if other not in found:
                        found.add(other)
                        waiting.append(other)
            known = self._visible[path] = frozenset(found)
        return known

    def _find_includes(self, path: str) -> list[str]:
        known = self._direct.get(path)
        if known is None:
            scope = self._scope(path)
            modules = [item.module for item in scope.facts.imports if not item.name]
            known = self._direct[path] = [place for module in modules for place in self._find_files(scope, module)]
        return known

    def _find_files(self, scope: FileScope, module: str) -> list[str]:
        found = self._modules.find(scope.spec, scope.path, module) if scope.spec else None
        return [place for place in found or () if place in self._view.entries and self._view.entries[place].blob]

    def resolve_name(self, path: str, spaces: Iterable[str], name: str, *, bare: bool = False) -> Entities:
        """Return the definitions of a name in the first of these scopes that has one, as visible to a file."""
        scope = self._scope(path)
        found: dict[str, list[Entity]] = {}
        complete: list[Entity] = []
        hidden = False
        spaces = list(spaces)
        for other, position in self._find_definitions(scope, name):
            item = self._scope(other).definitions[position]
            space = self._get_namespace(self._scope(other), item)
            if space not in spaces:
                # Argument-dependent lookup may find a function of another scope.
                hidden = hidden or (bare and item.kind == "fn" and bool(space))
                continue
            if other in self.find_visible(path):
                found.setdefault(space, []).append(Entity("def", other, position))
            else:
                hidden = hidden or not _is_internal(item)
                beside = other.rpartition("/")[0] == path.rpartition("/")[0]
                if item.kind in _TYPES and (beside or path in self.find_visible(other)):
                    complete.append(Entity("def", other, position))
        for space in spaces:
            if space in found:
                own = [entity for entity in found[space] if entity.path == path]
                return tuple(own if any(map(self._is_internal, own)) else found[space])[:MAX_DECLARATIONS]
        # A forward-declared type is defined by a file that includes this one, or by one in the same directory.
        if complete and len({entity.path for entity in complete}) == 1:
            return tuple(complete)
        return () if hidden else (EXTERNAL,)

    def _is_internal(self, entity: Entity) -> bool:
        return _is_internal(self._scope(entity.path).definitions[entity.position])

    def list_namespaces(self, path: str, owner: int) -> list[str]:
        """List the scopes visible at a definition, innermost first, then those opened by using-directives."""
        scope = self._scope(path)
        if not scope.rule.bare_members:
            return [""]  # without bare member access there is one global scope
        joint = scope.spec.separator if scope.spec else "."
        item = scope.definitions[owner] if owner >= 0 else None
        inner = item.scope if item else ""
        if item and item.kind in (*_TYPES, "mod"):
            inner = f"{inner}{joint}{item.name}" if inner else item.name
        words = inner.split(joint) if inner else []
        found = [joint.join(words[:count]) for count in range(len(words), -1, -1)]
        opened = [entry.module for entry in scope.facts.imports if not entry.name and "." not in entry.module]
        return [*found, *(f"{space}{joint}{more}" for more in opened for space in found if space), *opened]

    def filter_types(self, path: str, entities: Entities, *, types: bool) -> Entities:
        """Where a name means both a type and something else, keep what the context requires."""
        if self._scope(path).rule.reach != "includes":
            return entities
        chosen = [
            entity
            for entity in entities
            if entity.kind == "def" and (self._scope(entity.path).definitions[entity.position].kind in _TYPES) == types
        ]
        return tuple(chosen) or entities

    def is_constructor(self, entity: Entity) -> bool:
        """Return whether a function is a constructor; its bare name means the type."""
        scope = self._scope(entity.path)
        item = scope.definitions[entity.position]
        words = item.scope.split(scope.spec.separator if scope.spec else ".")
        return item.kind in _FUNCTIONS and words[-1] == item.name

    def to_namespaces(self, path: str, entities: Entities) -> Entities:
        """Replace namespace blocks by the namespace as the file sees it."""
        if self._scope(path).rule.reach != "includes":
            return entities
        return tuple(dict.fromkeys(self._to_namespace(path, entity) for entity in entities))

    def _to_namespace(self, path: str, entity: Entity) -> Entity:
        if entity.kind != "def":
            return entity
        scope = self._scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind != "mod":
            return entity
        joint = scope.spec.separator if scope.spec else "."
        return Entity("namespace", path, -1, f"{item.scope}{joint}{item.name}" if item.scope else item.name)

    def find_types(self, path: str, owner: int) -> Entities:
        """Return the types named by the scope prefix of a function definition."""
        scope = self._scope(path)
        joint = scope.spec.separator if scope.spec else "."
        above, _, last = scope.definitions[owner].scope.rpartition(joint)
        spaces = [above, *(entry.module for entry in scope.facts.imports if not entry.name and not above)]
        return self.resolve_name(path, spaces, last) if last else ()

    def _find_definitions(self, scope: FileScope, name: str) -> list[DefinitionKey]:
        """Return all definitions of a name in files of the same language family."""
        known = self._rows.get(name)
        if known is None:
            known = self._rows[name] = list(self._query_definitions(scope.rule.imports, name))
        return known

    def _query_definitions(self, family: str, name: str) -> Iterator[DefinitionKey]:
        for row in self._view.snapshot.find_symbols(name.casefold(), prefix=False, limit=MAX_ROWS):
            if row.name == name and row.kind != "use":
                for path in self._view.paths.get(row.blob, ()):
                    if self._scope(path).rule.imports == family:
                        yield path, row.position

    def _get_namespace(self, scope: FileScope, item: Definition) -> str:
        """Return the scope of a name; macros are global, items of unscoped enums belong to the enclosing scope."""
        if item.kind == "macro" or item.signature.startswith("#"):
            return ""
        around = scope.definitions[item.parent] if item.parent >= 0 else None
        if around is None:
            return item.scope
        if not scope.rule.bare_members and item.kind in _TYPES:
            return ""  # without type scopes, nested types are visible everywhere
        head = around.signature.removeprefix("typedef ")
        listed = around.kind == "enum" or head.startswith("enum")
        if item.kind == "field" and listed and not head.startswith(("enum class", "enum struct")):
            return around.scope if scope.rule.bare_members else ""
        return item.scope

    def find_declarations(self, path: str, position: int) -> list[DefinitionKey]:
        """Return the other declarations and definitions of the same entity."""
        scope = self._scope(path)
        item = scope.definitions[position]
        if item.kind not in _LINKED_KINDS or _is_internal(item) or item.signature.startswith("#"):
            return []
        if item.kind == "field" and (not scope.rule.bare_members or "static" not in item.signature):
            return []
        found: list[DefinitionKey] = []
        others: list[DefinitionKey] = []
        for place in self._find_definitions(scope, item.name):
            other = self._scope(place[0]).definitions[place[1]]
            if place == (path, position) or not _is_same(item, other, scope.spec.separator if scope.spec else "."):
                continue
            (found if self._is_connected(path, place[0]) else others).append(place)
        if not found and others and item.signature.startswith("extern"):
            found = others if all(self._is_connected(others[0][0], at) for at, _ in others) else []
        return found[:MAX_DECLARATIONS]

    def _is_connected(self, one: str, two: str) -> bool:
        return one == two or one in self.find_visible(two) or two in self.find_visible(one)

    def get_identity(self, path: str, position: int) -> tuple[object, ...]:
        """Return a key that is equal for all declarations of one entity."""
        scope = self._scope(path)
        item = scope.definitions[position]
        if _is_internal(item):
            return path, scope.find_container(position), item.name
        return "", -1, f"{self._get_namespace(scope, item)} {item.name}"

    def get_size(self, place: DefinitionKey) -> int:
        """Return the source size; a definition is larger than a declaration."""
        item = self._scope(place[0]).definitions[place[1]]
        return item.byte_end - item.byte_start


def _is_internal(item: Definition) -> bool:
    return item.visibility == "private" and item.kind in ("fn", "var", "const")


def _is_same(one: Definition, two: Definition, joint: str) -> bool:
    if two.kind not in _LINKED_KINDS or _is_internal(two) or two.signature.startswith("#"):
        return False
    if (one.kind in _FUNCTIONS) != (two.kind in _FUNCTIONS):
        return False
    if one.scope == two.scope:
        return True
    # An out-of-class definition may omit scopes that the file opens.
    short, long = sorted((one.scope, two.scope), key=len)
    return bool(short) and long.endswith(joint + short)
