"""Object members: members and bases of types, and the type that a definition belongs to."""

from codecompass.engine.navigation.resolver.context import LaterParts, LookupContext
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex
from codecompass.engine.navigation.resolver.import_lookup import ImportLookup
from codecompass.engine.navigation.resolver.name_lookup import NameLookup
from codecompass.engine.navigation.resolver.scopes import get_last_part
from codecompass.engine.navigation.resolver.values import (
    EXTERNAL,
    MAX_DEPTH,
    MAX_ENTITIES,
    NAMED_TYPES,
    VALUE_KINDS,
    Entities,
    Entity,
    merge,
    to_defs,
    to_instance,
)
from codecompass.languages.extraction.name_chains import LOCAL, UNKNOWN
from codecompass.languages.extraction.nesting import FUNCTIONS


class ObjectMembers:
    """Resolves members of modules, types, instances and variables, with inherited ones."""

    def __init__(
        self,
        context: LookupContext,
        later: LaterParts,
        definitions: DefinitionIndex,
        imports: ImportLookup,
        names: NameLookup,
    ) -> None:
        self._linkage = context.linkage
        self._memo = context.memo
        self._scope = context.scopes.get
        self._later = later
        self._definitions = definitions
        self._imports = imports
        self._names = names

    # -- members -------------------------------------------------------------------------------------------------------

    def member(self, entity: Entity, name: str, depth: int = 0) -> Entities:
        """Resolve `name` as a member of an entity."""
        if entity.kind == "external" or depth > MAX_DEPTH:
            return (EXTERNAL,) if entity.kind == "external" else ()
        if entity.kind == "module":
            return self._imports.resolve_export(entity, name, depth + 1)
        if entity.kind == "collection":
            return (EXTERNAL,)
        if entity.kind == "namespace":
            return self._linkage.to_namespaces(
                entity.path, self._linkage.resolve_name(entity.path, [entity.text], name)
            )
        item = self._scope(entity.path).definitions[entity.position]
        inside = self._scope(entity.path).children.get((entity.position, name))
        if entity.kind == "def" and inside and item.kind not in FUNCTIONS:
            return to_defs(entity.path, inside)
        if entity.kind == "def" and item.kind in VALUE_KINDS:
            own = self.mixin_members(entity).get(name)
            if own:
                return to_defs(entity.path, own)
            return merge(
                self.member(value, name, depth + 1)
                for value in self._later.values.evaluate_definition(entity, depth + 1)
            )
        if entity.kind == "def" and item.kind in FUNCTIONS:
            return to_defs(entity.path, self.mixin_members(entity).get(name, ()))
        if item.kind == "mod" and self._scope(entity.path).rule.module_words:
            return self._memo.compute(
                ("inside", entity, name), depth, lambda: self._imports.resolve_in_module(entity, name, depth)
            )
        return self._memo.compute(
            ("member", entity.path, entity.position, name), depth, lambda: self._member(entity, name, depth)
        )

    def _member(self, entity: Entity, name: str, depth: int) -> Entities:
        scope = self._scope(entity.path)
        own = [at for block in self._definitions.blocks(entity) for at in scope.children.get((block, name), ())]
        found = list(to_defs(entity.path, own or self.mixin_members(entity).get(name, ())))
        if not found and scope.rule.open_types:
            found = self._find_outside_members(entity, name)
        if found:
            return tuple(found)
        aliased = merge(self.member(one, name, depth + 1) for one in self.resolve_alias(entity, depth) if one != entity)
        if aliased:
            return aliased
        above: list[Entity] = []
        for base in self.bases(entity, depth + 1):
            above += self.member(base, name, depth + 1)
            if any(item.kind == "def" for item in above):
                break
        if any(item.kind == "def" for item in above):
            return tuple(item for item in dict.fromkeys(above) if item.kind == "def")
        return tuple(dict.fromkeys(above))

    def _find_outside_members(self, entity: Entity, name: str) -> list[Entity]:
        """Return members defined outside the body of a type: in other blocks or parts, or with a receiver."""
        scope = self._scope(entity.path)
        item = scope.definitions[entity.position]
        if scope.rule.namespaces:
            around = (
                self._definitions.get_full_name(entity.path, entity.position)
                if scope.rule.blocks or self._definitions.is_open(entity)
                else ""
            )
            return self._definitions.find_declared(scope.rule.imports, around, name) if around else []
        found = []
        near = entity.path.rpartition("/")[0] if scope.rule.reach == "directory" else None
        for path, position in self._definitions.find_definitions(name, near):
            other = self._scope(path)
            if (
                other.rule.imports != scope.rule.imports
                or get_last_part(other.definitions[position].scope) != item.name
            ):
                continue
            if path == entity.path or Entity("def", entity.path, entity.position) in self._names.resolve_name(
                path, -1, item.name
            ):
                found.append(Entity("def", path, position))
        return found[:MAX_ENTITIES]

    def mixin_members(self, entity: Entity) -> dict[str, list[int]]:
        """Return the members that the same file defines outside their container."""
        scope = self._scope(entity.path)
        if not scope.rule.function_types:
            return {}
        item = scope.definitions[entity.position]
        around = f"{item.scope}.{item.name}" if item.scope else item.name
        return scope.mixin_members.get(around) or scope.mixin_members.get(item.name, {})

    def resolve_alias(self, entity: Entity, depth: int) -> Entities:
        """Return the target of a type alias."""
        scope = self._scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind != "type":
            return ()
        function = next(iter(scope.list_functions(entity.position)), -1)
        return self._later.values.values(
            entity.path, scope.bindings.get((function, item.name), []), depth + 1, item.parent
        )

    def to_type(self, entity: Entity, depth: int) -> Entity:
        """Replace a variable that holds a type by that type."""
        if entity.kind == "def" and self._scope(entity.path).definitions[entity.position].kind in VALUE_KINDS:
            return next(iter(self._later.values.evaluate_definition(entity, depth + 1)), entity)
        return entity

    # -- bases ---------------------------------------------------------------------------------------------------------

    def bases(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the base types in source order; EXTERNAL for external ones."""
        return self._memo.compute(("bases", entity.path, entity.position), depth, lambda: self._bases(entity, depth))

    def _bases(self, entity: Entity, depth: int) -> Entities:
        found: list[Entity] = []
        for part in self._definitions.find_all_parts(entity):
            found += self._resolve_bases(part, depth)
        return self._order_bases(tuple(dict.fromkeys(one for one in found if one != entity)))

    def _resolve_bases(self, entity: Entity, depth: int) -> list[Entity]:
        scope = self._scope(entity.path)
        found: list[Entity] = []
        for position in self._definitions.blocks(entity):
            for item in scope.bases.get(position, ()):
                around = scope.definitions[position].parent
                if item.receiver and item.receiver not in (LOCAL, UNKNOWN):
                    entities = merge(
                        self.member(base, item.name, depth + 1)
                        for base in self._later.values.evaluate(entity.path, around, item.receiver, depth + 1)
                    )
                else:
                    entities = self._names.resolve_type(entity.path, around, item.name, depth + 1)
                found += [self.to_type(one, depth) for one in entities]
        return found

    def _order_bases(self, bases: Entities) -> Entities:
        """Order bases as member lookup does: traits hide inherited members."""
        return tuple(sorted(bases, key=lambda base: not self._is_trait(base)))

    def find_parents(self, entity: Entity, depth: int) -> Entities:
        """Return the base types without traits; interfaces only if there is nothing else."""
        above = tuple(base for base in self.bases(entity, depth) if not self._is_trait(base))
        return tuple(base for base in above if self._definitions.get_kind(base) != "interface") or above

    def _is_trait(self, base: Entity) -> bool:
        return self._definitions.get_kind(base) == "trait"

    # -- the own type --------------------------------------------------------------------------------------------------

    def find_self_type(self, path: str, owner: int) -> Entities:
        """Return the type a definition belongs to: the enclosing one, the implemented one, or its receiver's."""
        scope = self._scope(path)
        position = scope.find_type(owner)
        if scope.rule.receivers and (found := self._later.values.find_receiver(path, owner, position)):
            return found
        while position >= 0 and scope.definitions[position].kind == "type" and position not in scope.containers:
            position = scope.find_type(scope.definitions[position].parent)  # an alias has no members
        if position >= 0 and scope.definitions[position].kind != "impl":
            return (Entity("instance", path, position),)
        name = scope.definitions[position].name if position >= 0 else ""
        if scope.rule.reach == "includes":
            return self._find_outer_type(path, scope.list_functions(owner))
        if scope.rule.blocks and name:
            return tuple(to_instance(entity) for entity in self._definitions.find_block_type(path, position))
        if not name:
            method = next((at for at in scope.list_functions(owner) if scope.definitions[at].scope), -1)
            name = get_last_part(scope.definitions[method].scope) if method >= 0 else ""
        if not name:
            return ()
        around = scope.definitions[position].parent if position >= 0 else -1
        return tuple(
            Entity("instance", entity.path, entity.position)
            for entity in self._names.resolve_name(path, around, name)
            if entity.kind == "def"
        )

    def _find_outer_type(self, path: str, functions: list[int]) -> Entities:
        """Return the type of a member function that is defined outside its type."""
        found = merge(self._linkage.find_types(path, at) for at in functions[-1:])
        types = [entity for entity in found if entity.kind == "def"]
        kinds = [self._scope(entity.path).definitions[entity.position].kind for entity in types]
        return tuple(to_instance(entity) for entity, kind in zip(types, kinds, strict=True) if kind in NAMED_TYPES)
