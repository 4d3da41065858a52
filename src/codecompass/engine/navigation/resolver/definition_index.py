"""Definition index: definitions by name in the view, a directory or a namespace, and which of them are one entity."""

from collections.abc import Iterator

from codecompass.engine.navigation.resolver.context import LookupContext
from codecompass.engine.navigation.resolver.values import (
    EXTERNAL,
    MAX_ENTITIES,
    NAMED_TYPES,
    Entities,
    Entity,
    merge,
    to_defs,
)

MAX_ROWS = 4_000
_NAMESPACE_KINDS = NAMED_TYPES | {"mod"}
DefinitionKey = tuple[str, int]


class DefinitionIndex:
    """Finds definitions without following imports, types or values."""

    def __init__(self, context: LookupContext) -> None:
        self._view = context.view
        self._scope = context.scopes.get
        self._linkage = context.linkage
        self._tables: dict[tuple[str, str, bool], dict[str, list[Entity]]] = {}

    # -- by name ---------------------------------------------------------------------------------------------------

    def find_definitions(self, name: str, directory: str | None = None) -> Iterator[DefinitionKey]:
        """Yield (path, position) of the definitions of a name, in one directory or everywhere."""
        limit = MAX_ENTITIES * (50 if directory is None else 500)
        for row in self._view.snapshot.find_symbols(name.casefold(), prefix=False, limit=limit):
            if row.name == name:
                for path in self._view.paths.get(row.blob, ()):
                    if directory is None or get_directory(path) == directory:
                        yield path, row.position

    def find_in_directory(self, imports: str, directory: str, package: str, name: str) -> Entities:
        """Find a top-level name in a directory; without a package, prefer the package named like the directory."""
        found: dict[str, list[Entity]] = {}
        for path, position in self.find_definitions(name, directory):
            other = self._scope(path)
            item = other.definitions[position]
            if other.rule.imports == imports and item.parent < 0 and not item.scope:
                found.setdefault(other.facts.package, []).append(Entity("def", path, position))
        if package:
            return tuple(found.get(package, ()))
        return tuple(
            found.get(directory.rpartition("/")[2]) or [entity for group in found.values() for entity in group]
        )

    # -- by full name ----------------------------------------------------------------------------------------------

    def get_namespace(self, path: str, position: int) -> str:
        """Return the dotted full name of the container of a definition."""
        scope = self._scope(path)
        inside = to_dotted(scope.definitions[position].scope)
        return ".".join(part for part in (to_dotted(scope.facts.package), inside) if part)

    def get_full_name(self, path: str, position: int) -> str:
        space, item = self.get_namespace(path, position), self._scope(path).definitions[position]
        name = to_dotted(item.name) if item.kind == "mod" else item.name
        return f"{space}.{name}" if space else name

    def find_declared(self, family: str, space: str, name: str) -> list[Entity]:
        """Return the definitions of a name in a namespace or type, for one language family."""
        return self.load_table(family, name).get(space, [])

    def load_table(self, family: str, name: str, *, blocks: bool = False) -> dict[str, list[Entity]]:
        """Map container full names to definitions of a name, or to the impl blocks for types of that name."""
        known = self._tables.get((family, name, blocks))
        if known is None:
            known = self._tables[family, name, blocks] = {}
            for row in self._view.snapshot.find_symbols(name.casefold(), prefix=False, limit=MAX_ROWS):
                if row.name != name or row.kind == "use" or (row.kind == "impl") != blocks:
                    continue
                for path in self._view.paths.get(row.blob, ()):
                    if self._scope(path).rule.imports == family:
                        entity = Entity("def", path, row.position)
                        known.setdefault(self.get_namespace(path, row.position), []).append(entity)
        return known

    def find_closest(self, path: str, space: str, name: str) -> Entities:
        """Return the definitions of a full name that are closest to a file, with their other parts."""
        declared = self.find_declared(self._scope(path).rule.imports, space, name)
        entities = select_closest(path, [one for one in declared if self.is_visible(path, one)])
        return merge(self.parts(entity) for entity in entities)

    def is_visible(self, path: str, entity: Entity) -> bool:
        """Return whether a definition is visible to a file; top-level private definitions are file-local."""
        item = self._scope(entity.path).definitions[entity.position]
        return entity.path == path or item.parent >= 0 or item.visibility != "private"

    def find_block_type(self, path: str, position: int) -> Entities:
        """Return the type that an impl block is for."""
        scope = self._scope(path)
        name = scope.definitions[position].name
        own = scope.children.get((scope.definitions[position].parent, name))
        found = to_defs(path, own) if own else self.find_closest(path, self.get_namespace(path, position), name)
        return found or (EXTERNAL._replace(text=name),)

    # -- kinds -----------------------------------------------------------------------------------------------------

    def get_kind(self, entity: Entity) -> str:
        """Return the kind of a definition, or of the type of an instance; empty for other entities."""
        known = entity.kind in ("def", "instance")
        return self._scope(entity.path).definitions[entity.position].kind if known else ""

    def is_type_or_namespace(self, entity: Entity) -> bool:
        """Return whether an entity is a type or a namespace."""
        return entity.kind == "def" and self._scope(entity.path).definitions[entity.position].kind in _NAMESPACE_KINDS

    def is_function(self, entity: Entity) -> bool:
        return entity.kind == "def" and self._scope(entity.path).definitions[entity.position].kind in ("fn", "method")

    def is_open(self, entity: Entity) -> bool:
        """Return whether a type or namespace may have several parts."""
        scope = self._scope(entity.path)
        rule, item = scope.rule, scope.definitions[entity.position]
        if not rule.namespaces or not rule.open_types or rule.blocks or item.kind not in _NAMESPACE_KINDS:
            return False
        return item.kind == "mod" or not rule.open_word or rule.open_word in item.signature.split()

    # -- one entity in several places ------------------------------------------------------------------------------

    def parts(self, entity: Entity) -> Entities:
        """Return a type with its other parts, in languages with partial types."""
        scope = self._scope(entity.path)
        if not self.is_open(entity):
            return (entity,)
        kind = scope.definitions[entity.position].kind
        name = scope.definitions[entity.position].name
        others = self.find_declared(scope.rule.imports, self.get_namespace(entity.path, entity.position), name)
        same = (
            Entity(entity.kind, one.path, one.position)
            for one in others
            if self.is_open(one) and self._scope(one.path).definitions[one.position].kind == kind
        )
        return tuple(dict.fromkeys((entity, *same)))[:MAX_ENTITIES]

    def blocks(self, entity: Entity) -> list[int]:
        """Return the positions of a type in its own file: itself, its impl blocks, and its companion objects."""
        scope = self._scope(entity.path)
        name = scope.definitions[entity.position].name
        return [entity.position, *scope.impl_blocks.get(name, ()), *scope.mixin_types.get(entity.position, ())]

    def find_all_parts(self, entity: Entity) -> Entities:
        """Return a type with its parts and the impl blocks for it in other files."""
        scope = self._scope(entity.path)
        if not scope.rule.blocks:
            return self.parts(entity)
        name = scope.definitions[entity.position].name
        table = self.load_table(scope.rule.imports, name, blocks=True)
        others = table.get(self.get_namespace(entity.path, entity.position), ())
        return (entity, *(one for one in others if one.path != entity.path))[:MAX_ENTITIES]

    def get_identity(self, path: str, position: int) -> tuple[object, ...]:
        """Return an identity that overloads, and the getter and setter of a property, share."""
        scope = self._scope(path)
        if scope.rule.reach == "includes":
            return self._linkage.get_identity(path, position)
        home = scope.find_container(position)
        if any(at >= 0 and self.is_open(Entity("def", path, at)) for at in (position, home)) or (
            scope.rule.blocks and home >= 0
        ):
            return self.get_full_name(path, position), -1, "", ""  # the parts of a type are one entity too
        item = scope.definitions[position]
        return path, home, item.scope, item.name

    def add_declarations(self, places: tuple[DefinitionKey, ...]) -> tuple[DefinitionKey, ...]:
        """Add the declarations that the linker merges with these definitions, largest first."""
        if self._scope(places[0][0]).rule.reach != "includes":
            return places
        found = dict.fromkeys(
            [*places, *(declaration for place in places for declaration in self._linkage.find_declarations(*place))]
        )
        return tuple(sorted(found, key=lambda place: (-self._linkage.get_size(place), place)))


def get_directory(path: str) -> str:
    return path.rpartition("/")[0]


def to_dotted(text: str) -> str:
    """Convert a namespace name to dots, whatever separator its language uses."""
    return text.replace("::", ".").replace("\\", ".").strip(".")


def select_closest(path: str, entities: list[Entity]) -> Entities:
    """Return the entities whose files are the fewest directories away from a path."""
    if len(entities) < 2:
        return tuple(entities)
    mine = path.split("/")[:-1]

    def distance(other: str) -> int:
        theirs = other.split("/")[:-1]
        shared = next((at for at, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two), None)
        shared = min(len(mine), len(theirs)) if shared is None else shared
        return len(mine) + len(theirs) - 2 * shared

    away = {entity.path: distance(entity.path) for entity in entities}
    least = min(away.values())
    return tuple(entity for entity in entities if away[entity.path] == least)
