"""Object members: aliases, pointers, multiple declarations, and members defined outside their type."""

from abc import abstractmethod

from codecompass.engine.navigation.resolver.extension_members import ExtensionLookup
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, MAX_ENTITIES, NAMED_TYPES, to_instance
from codecompass.engine.navigation.resolver.scopes import get_last_part
from codecompass.engine.navigation.resolver.type_syntax import parse_type
from codecompass.engine.navigation.resolver.values import EXTERNAL, Entities, Entity
from codecompass.languages.language_spec import ResolveRule
from codecompass.model.code.facts import Binding

VALUE_KINDS = frozenset({"var", "const", "field", "property"})
DefinitionKey = tuple[str, int]


class ObjectLookup(ExtensionLookup):
    """Adds linked declarations and members defined outside their type; no effect on other languages."""

    @abstractmethod
    def evaluate_definition(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the value of a definition."""

    @abstractmethod
    def evaluate_call(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the result of calling an entity."""

    @abstractmethod
    def evaluate_item(self, entity: Entity, depth: int) -> Entities:
        """Return the item of a collection."""

    def get_identity(self, path: str, position: int) -> tuple[object, ...]:
        """Return an identity that overloads, and the getter and setter of a property, share."""
        scope = self.scope(path)
        if scope.rule.reach == "includes":
            return self.linkage.get_identity(path, position)
        home = scope.find_container(position)
        if any(at >= 0 and self.is_open(Entity("def", path, at)) for at in (position, home)) or (
            scope.rule.blocks and home >= 0
        ):
            return self.get_full_name(path, position), -1, "", ""  # the parts of a type are one entity too
        item = scope.definitions[position]
        return path, home, item.scope, item.name

    def resolve_chain_start(self, path: str, owner: int, name: str, depth: int) -> Entities:
        """Resolve the first name of a chain that is not a local variable."""
        rule = self.scope(path).rule
        word, at, label = name.partition("@")
        if at and word in rule.self_words:  # the instance of an enclosing type
            return tuple(
                to_instance(one)
                for one in self.resolve_type(path, owner, label, depth)
                if self.is_type_or_namespace(one)
            )
        found = self.to_namespaces(path, self.resolve_head(path, owner, name, depth))
        if rule.reach == "includes" and found == (EXTERNAL,) and name[:1].islower() and name not in rule.builtins:
            return ()  # as likely a variable defined by a macro as an external name
        return found

    def add_declarations(self, places: tuple[DefinitionKey, ...]) -> tuple[DefinitionKey, ...]:
        """Add the declarations that the linker merges with these definitions, largest first."""
        if self.scope(places[0][0]).rule.reach != "includes":
            return places
        found = dict.fromkeys(
            [*places, *(declaration for place in places for declaration in self.linkage.find_declarations(*place))]
        )
        return tuple(sorted(found, key=lambda place: (-self.linkage.get_size(place), place)))

    def evaluate_declarations(self, entity: Entity, depth: int) -> Entities:
        """Return the result of a function according to its other declarations."""
        if self.scope(entity.path).rule.reach != "includes":
            return ()
        declarations = self.linkage.find_declarations(entity.path, entity.position)
        known = ((path, self.scope(path).bindings.get((at, "()"), [])) for path, at in declarations)
        return next((self.values(path, more, depth + 1) for path, more in known if more), ())

    def find_outer_type(self, path: str, functions: list[int]) -> Entities:
        """Return the type of a member function that is defined outside its type."""
        found = self._merge(self.linkage.find_types(path, at) for at in functions[-1:])
        types = [entity for entity in found if entity.kind == "def"]
        kinds = [self.scope(entity.path).definitions[entity.position].kind for entity in types]
        return tuple(to_instance(entity) for entity, kind in zip(types, kinds, strict=True) if kind in NAMED_TYPES)

    def order_bases(self, bases: Entities) -> Entities:
        """Order bases as member lookup does: traits hide inherited members."""
        return tuple(sorted(bases, key=lambda base: not self._is_trait(base)))

    def find_parents(self, entity: Entity, depth: int) -> Entities:
        """Return the base types without traits; interfaces only if there is nothing else."""
        above = tuple(base for base in self.bases(entity, depth) if not self._is_trait(base))
        return tuple(base for base in above if self._kind_of(base) != "interface") or above

    def _is_trait(self, base: Entity) -> bool:
        return self._kind_of(base) == "trait"

    def _kind_of(self, entity: Entity) -> str:
        known = entity.kind in ("def", "instance")
        return self.scope(entity.path).definitions[entity.position].kind if known else ""

    def evaluate_tests(self, path: str, bound: list[Binding], depth: int, place: int) -> Entities:
        """Evaluate bindings that include type tests; the tested types count only if nothing else is known."""
        known = [item for item in bound if item.how != "test"]
        found = self.values(path, known, depth, place) if known else ()
        tests = [item._replace(how="value") for item in bound if item.how == "test"]
        return found or self.values(path, tests, depth, place)

    def evaluate_self_return(self, entity: Entity, before: Entities) -> Entities:
        """Return the receiver as the result of a function whose return type is the receiver's own type."""
        if not before or not self.is_function(entity):
            return ()
        scope = self.scope(entity.path)
        words = scope.rule.late_types
        types = [item.text for item in scope.bindings.get((entity.position, "()"), ()) if item.how == "type" and words]
        if not any(one.name in words for text in types for one in parse_type(text)):
            return ()
        own = self._merge(self.evaluate_definition(one) for one in before)
        return tuple(to_instance(one) for one in own if one.kind == "instance" or self.is_type_or_namespace(one))

    def mixin_members(self, entity: Entity) -> dict[str, list[int]]:
        """Return the members that the same file defines outside their container."""
        scope = self.scope(entity.path)
        if not scope.rule.function_types:
            return {}
        item = scope.definitions[entity.position]
        around = f"{item.scope}.{item.name}" if item.scope else item.name
        return scope.mixin_members.get(around) or scope.mixin_members.get(item.name, {})

    def resolve_alias(self, entity: Entity, depth: int) -> Entities:
        """Return the target of a type alias."""
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind != "type":
            return ()
        function = next(iter(scope.list_functions(entity.position)), -1)
        return self.values(entity.path, scope.bindings.get((function, item.name), []), depth + 1, item.parent)

    def evaluate_pointer(self, entity: Entity, depth: int) -> Entities:
        """Evaluate an index into a pointer: the same type, unless the type has an index operator."""
        item = self.scope(entity.path).definitions[entity.position]
        if depth > MAX_DEPTH:
            return ()
        if (
            entity.kind == "def"
            and item.kind in VALUE_KINDS
            and (values := self.evaluate_definition(entity, depth + 1)) != (entity,)
        ):
            many = f"{item.name}[" in item.signature  # an array, regardless of the operators of its items
            return values if many else self._merge(self.evaluate_item(one, depth + 1) for one in values)
        aliased = self.resolve_alias(entity, depth)
        if aliased:
            return self._merge(self.evaluate_item(one, depth + 1) for one in aliased if one != entity)
        operator = [one for one in self.member(entity, "operator[]", depth + 1) if one.kind == "def"]
        return self._merge(self.evaluate_call(one, depth + 1) for one in operator) if operator else (entity,)

    def _resolve_import_mention(self, path: str, name: str, line: int) -> Entities:
        found: list[Entity] = []
        imports = self.scope(path).facts.imports
        for item in [item for item in imports if item.line == line] or imports:
            if abs(item.line - line) <= 200 and (item.name == name or (item.alias == name and item.name == "default")):
                found += self._resolve_import(path, item, 0)
            elif not item.name and (item.module == name or item.module.split(".")[-1].endswith(name)):
                found += self._resolve_import(path, item, 0)
        return tuple(dict.fromkeys(found))

    def _find_outside_members(self, entity: Entity, name: str) -> list[Entity]:
        """Return members defined outside the body of a type: in other blocks or parts, or with a receiver."""
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if scope.rule.namespaces:
            around = (
                self.get_full_name(entity.path, entity.position) if scope.rule.blocks or self.is_open(entity) else ""
            )
            return self.find_declared(scope.rule.imports, around, name) if around else []
        found = []
        near = entity.path.rpartition("/")[0] if scope.rule.reach == "directory" else None
        for path, position in self.find_definitions(name, near):
            other = self.scope(path)
            if (
                other.rule.imports != scope.rule.imports
                or get_last_part(other.definitions[position].scope) != item.name
            ):
                continue
            if path == entity.path or Entity("def", entity.path, entity.position) in self.resolve_name(
                path, -1, item.name
            ):
                found.append(Entity("def", path, position))
        return found[:MAX_ENTITIES]

    def _to_type(self, entity: Entity, depth: int) -> Entity:
        """Replace a variable that holds a type by that type."""
        if entity.kind == "def" and self.scope(entity.path).definitions[entity.position].kind in VALUE_KINDS:
            return next(iter(self.evaluate_definition(entity, depth + 1)), entity)
        return entity

    def _unwrap(
        self, rule: ResolveRule, name: str, suffix: str, before: Entities, found: Entities, depth: int
    ) -> tuple[Entities, str]:
        """Evaluate members of all types that return the object itself or one of its items."""
        if name not in (*rule.transparent, *rule.item_members) or any(entity.kind == "def" for entity in found):
            return found, suffix
        own = self._merge(self.evaluate_definition(entity, depth + 1) for entity in before)
        if name in rule.item_members:
            own = self._merge(self.evaluate_item(entity, depth + 1) for entity in own if entity.kind == "collection")
        if not own or EXTERNAL in own:
            return found, suffix
        return own, suffix.replace("()", "", 1)
