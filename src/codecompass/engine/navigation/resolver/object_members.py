"""Object members: aliases, pointers, multiple declarations, and members defined outside their type."""

from abc import abstractmethod

from codecompass.engine.navigation.resolver.extension_members import Extensions
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, MAX_SEEN, NAMED_TYPES, as_instance
from codecompass.engine.navigation.resolver.scopes import last_part
from codecompass.engine.navigation.resolver.type_syntax import alternatives
from codecompass.engine.navigation.resolver.values import EXTERNAL, Thing, Things
from codecompass.languages.language_spec import ResolveRule
from codecompass.model.code.facts import Binding

VALUES = frozenset({"var", "const", "field", "property"})
Place = tuple[str, int]


class Objects(Extensions):
    """Adds linked declarations and members defined outside their type; no effect on other languages."""

    @abstractmethod
    def value_of(self, entity: Thing, depth: int = 0) -> Things:
        """Return the value of a definition."""

    @abstractmethod
    def called(self, entity: Thing, depth: int = 0) -> Things:
        """Return the result of calling an entity."""

    @abstractmethod
    def item(self, entity: Thing, depth: int) -> Things:
        """Return the item of a collection."""

    def logical(self, path: str, position: int) -> tuple[object, ...]:
        """Return an identity that overloads, and the getter and setter of a property, share."""
        scope = self.scope(path)
        if scope.rule.reach == "includes":
            return self.linkage.identity(path, position)
        home = scope.home(position)
        if any(at >= 0 and self.is_open(Thing("def", path, at)) for at in (position, home)) or (
            scope.rule.blocks and home >= 0
        ):
            return self.full_name(path, position), -1, "", ""  # the parts of a type are one entity too
        item = scope.definitions[position]
        return path, home, item.scope, item.name

    def first_named(self, path: str, owner: int, name: str, depth: int) -> Things:
        """Resolve the first name of a chain that is not a local variable."""
        rule = self.scope(path).rule
        word, at, label = name.partition("@")
        if at and word in rule.self_words:  # the instance of an enclosing type
            return tuple(as_instance(one) for one in self.type_named(path, owner, label, depth) if self.is_space(one))
        found = self.spaced(path, self.head_named(path, owner, name, depth))
        if rule.reach == "includes" and found == (EXTERNAL,) and name[:1].islower() and name not in rule.builtins:
            return ()  # as likely a variable defined by a macro as an external name
        return found

    def with_twins(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Add the declarations that the linker merges with these definitions, largest first."""
        if self.scope(places[0][0]).rule.reach != "includes":
            return places
        found = dict.fromkeys(
            [*places, *(declaration for place in places for declaration in self.linkage.twins(*place))]
        )
        return tuple(sorted(found, key=lambda place: (-self.linkage.size(place), place)))

    def result_of_twins(self, entity: Thing, depth: int) -> Things:
        """Return the result of a function according to its other declarations."""
        if self.scope(entity.path).rule.reach != "includes":
            return ()
        declarations = self.linkage.twins(entity.path, entity.position)
        known = ((path, self.scope(path).bindings.get((at, "()"), [])) for path, at in declarations)
        return next((self.values(path, more, depth + 1) for path, more in known if more), ())

    def outer_type(self, path: str, functions: list[int]) -> Things:
        """Return the type of a member function that is defined outside its type."""
        found = self._all(self.linkage.types_of(path, at) for at in functions[-1:])
        types = [entity for entity in found if entity.kind == "def"]
        kinds = [self.scope(entity.path).definitions[entity.position].kind for entity in types]
        return tuple(as_instance(entity) for entity, kind in zip(types, kinds, strict=True) if kind in NAMED_TYPES)

    def mixed_first(self, bases: Things) -> Things:
        """Order bases as member lookup does: traits hide inherited members."""
        return tuple(sorted(bases, key=lambda base: not self._is_mixed(base)))

    def parents(self, entity: Thing, depth: int) -> Things:
        """Return the base types without traits; interfaces only if there is nothing else."""
        above = tuple(base for base in self.bases(entity, depth) if not self._is_mixed(base))
        return tuple(base for base in above if self._kind_of(base) != "interface") or above

    def _is_mixed(self, base: Thing) -> bool:
        return self._kind_of(base) == "trait"

    def _kind_of(self, entity: Thing) -> str:
        known = entity.kind in ("def", "instance")
        return self.scope(entity.path).definitions[entity.position].kind if known else ""

    def tested(self, path: str, bound: list[Binding], depth: int, place: int) -> Things:
        """Evaluate bindings that include type tests; the tested types count only if nothing else is known."""
        known = [item for item in bound if item.how != "test"]
        found = self.values(path, known, depth, place) if known else ()
        tests = [item._replace(how="value") for item in bound if item.how == "test"]
        return found or self.values(path, tests, depth, place)

    def late(self, entity: Thing, before: Things) -> Things:
        """Return the receiver as the result of a function whose return type is the receiver's own type."""
        if not before or not self.is_function(entity):
            return ()
        scope = self.scope(entity.path)
        words = scope.rule.late_types
        types = [item.text for item in scope.bindings.get((entity.position, "()"), ()) if item.how == "type" and words]
        if not any(one.name in words for text in types for one in alternatives(text)):
            return ()
        own = self._all(self.value_of(one) for one in before)
        return tuple(as_instance(one) for one in own if one.kind == "instance" or self.is_space(one))

    def lent(self, entity: Thing) -> dict[str, list[int]]:
        """Return the members that the same file defines outside their container."""
        scope = self.scope(entity.path)
        if not scope.rule.function_types:
            return {}
        item = scope.definitions[entity.position]
        around = f"{item.scope}.{item.name}" if item.scope else item.name
        return scope.lent.get(around) or scope.lent.get(item.name, {})

    def aliased(self, entity: Thing, depth: int) -> Things:
        """Return the target of a type alias."""
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind != "type":
            return ()
        function = next(iter(scope.functions(entity.position)), -1)
        return self.values(entity.path, scope.bindings.get((function, item.name), []), depth + 1, item.parent)

    def pointed(self, entity: Thing, depth: int) -> Things:
        """Evaluate an index into a pointer: the same type, unless the type has an index operator."""
        item = self.scope(entity.path).definitions[entity.position]
        if depth > MAX_DEPTH:
            return ()
        if entity.kind == "def" and item.kind in VALUES and (values := self.value_of(entity, depth + 1)) != (entity,):
            many = f"{item.name}[" in item.signature  # an array, regardless of the operators of its items
            return values if many else self._all(self.item(one, depth + 1) for one in values)
        aliased = self.aliased(entity, depth)
        if aliased:
            return self._all(self.item(one, depth + 1) for one in aliased if one != entity)
        operator = [one for one in self.member(entity, "operator[]", depth + 1) if one.kind == "def"]
        return self._all(self.called(one, depth + 1) for one in operator) if operator else (entity,)

    def _import_mention(self, path: str, name: str, line: int) -> Things:
        found: list[Thing] = []
        imports = self.scope(path).facts.imports
        for item in [item for item in imports if item.line == line] or imports:
            if abs(item.line - line) <= 200 and (item.name == name or (item.alias == name and item.name == "default")):
                found += self._imported(path, item, 0)
            elif not item.name and (item.module == name or item.module.split(".")[-1].endswith(name)):
                found += self._imported(path, item, 0)
        return tuple(dict.fromkeys(found))

    def _elsewhere(self, entity: Thing, name: str) -> list[Thing]:
        """Return members defined outside the body of a type: in other blocks or parts, or with a receiver."""
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if scope.rule.namespaces:
            around = self.full_name(entity.path, entity.position) if scope.rule.blocks or self.is_open(entity) else ""
            return self.declared(scope.rule.imports, around, name) if around else []
        found = []
        near = entity.path.rpartition("/")[0] if scope.rule.reach == "directory" else None
        for path, position in self.definitions_named(name, near):
            other = self.scope(path)
            if other.rule.imports != scope.rule.imports or last_part(other.definitions[position].scope) != item.name:
                continue
            if path == entity.path or Thing("def", entity.path, entity.position) in self.named(path, -1, item.name):
                found.append(Thing("def", path, position))
        return found[:MAX_SEEN]

    def _as_type(self, entity: Thing, depth: int) -> Thing:
        """Replace a variable that holds a type by that type."""
        if entity.kind == "def" and self.scope(entity.path).definitions[entity.position].kind in VALUES:
            return next(iter(self.value_of(entity, depth + 1)), entity)
        return entity

    def _through(
        self, rule: ResolveRule, name: str, suffix: str, before: Things, found: Things, depth: int
    ) -> tuple[Things, str]:
        """Evaluate members of all types that return the object itself or one of its items."""
        if name not in (*rule.transparent, *rule.item_members) or any(entity.kind == "def" for entity in found):
            return found, suffix
        own = self._all(self.value_of(entity, depth + 1) for entity in before)
        if name in rule.item_members:
            own = self._all(self.item(entity, depth + 1) for entity in own if entity.kind == "collection")
        if not own or EXTERNAL in own:
            return found, suffix
        return own, suffix.replace("()", "", 1)
