"""Object members: aliases, pointers, multiple declarations, and members defined outside their type."""

from abc import abstractmethod

from codecompass.engine.navigation.resolver.extension_members import Extensions
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, NAMED_TYPES, as_instance
from codecompass.engine.navigation.resolver.type_syntax import alternatives
from codecompass.engine.navigation.resolver.values import EXTERNAL, Thing, Things
from codecompass.model.code.facts import Binding

VALUES = frozenset({"var", "const", "field", "property"})
Place = tuple[str, int]


class Objects(Extensions):
    """Adds linked declarations and members defined outside their type; no effect on other languages."""

    @abstractmethod
    def value_of(self, thing: Thing, depth: int = 0) -> Things:
        """Return the value of a definition."""

    @abstractmethod
    def called(self, thing: Thing, depth: int = 0) -> Things:
        """Return the result of calling an entity."""

    @abstractmethod
    def item(self, thing: Thing, depth: int) -> Things:
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
        found = dict.fromkeys([*places, *(twin for place in places for twin in self.linkage.twins(*place))])
        return tuple(sorted(found, key=lambda place: (-self.linkage.size(place), place)))

    def result_of_twins(self, thing: Thing, depth: int) -> Things:
        """Return the result of a function according to its other declarations."""
        if self.scope(thing.path).rule.reach != "includes":
            return ()
        twins = self.linkage.twins(thing.path, thing.position)
        known = ((path, self.scope(path).bindings.get((at, "()"), [])) for path, at in twins)
        return next((self.values(path, more, depth + 1) for path, more in known if more), ())

    def outer_type(self, path: str, functions: list[int]) -> Things:
        """Return the type of a member function that is defined outside its type."""
        found = self._all(self.linkage.types_of(path, at) for at in functions[-1:])
        types = [thing for thing in found if thing.kind == "def"]
        kinds = [self.scope(thing.path).definitions[thing.position].kind for thing in types]
        return tuple(as_instance(thing) for thing, kind in zip(types, kinds, strict=True) if kind in NAMED_TYPES)

    def mixed_first(self, bases: Things) -> Things:
        """Order bases as member lookup does: traits hide inherited members."""
        return tuple(sorted(bases, key=lambda base: not self._is_mixed(base)))

    def parents(self, thing: Thing, depth: int) -> Things:
        """Return the base types without traits; interfaces only if there is nothing else."""
        above = tuple(base for base in self.bases(thing, depth) if not self._is_mixed(base))
        return tuple(base for base in above if self._kind_of(base) != "interface") or above

    def _is_mixed(self, base: Thing) -> bool:
        return self._kind_of(base) == "trait"

    def _kind_of(self, thing: Thing) -> str:
        known = thing.kind in ("def", "instance")
        return self.scope(thing.path).definitions[thing.position].kind if known else ""

    def tested(self, path: str, bound: list[Binding], depth: int, place: int) -> Things:
        """Evaluate bindings that include type tests; the tested types count only if nothing else is known."""
        known = [item for item in bound if item.how != "test"]
        found = self.values(path, known, depth, place) if known else ()
        tests = [item._replace(how="value") for item in bound if item.how == "test"]
        return found or self.values(path, tests, depth, place)

    def late(self, thing: Thing, before: Things) -> Things:
        """Return the receiver as the result of a function whose return type is the receiver's own type."""
        if not before or not self.is_function(thing):
            return ()
        scope = self.scope(thing.path)
        words = scope.rule.late_types
        types = [item.text for item in scope.bindings.get((thing.position, "()"), ()) if item.how == "type" and words]
        if not any(one.name in words for text in types for one in alternatives(text)):
            return ()
        own = self._all(self.value_of(one) for one in before)
        return tuple(as_instance(one) for one in own if one.kind == "instance" or self.is_space(one))

    def lent(self, thing: Thing) -> dict[str, list[int]]:
        """Return the members that the same file defines outside their container."""
        scope = self.scope(thing.path)
        if not scope.rule.function_types:
            return {}
        item = scope.definitions[thing.position]
        around = f"{item.scope}.{item.name}" if item.scope else item.name
        return scope.lent.get(around) or scope.lent.get(item.name, {})

    def aliased(self, thing: Thing, depth: int) -> Things:
        """Return the target of a type alias."""
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if item.kind != "type":
            return ()
        function = next(iter(scope.functions(thing.position)), -1)
        return self.values(thing.path, scope.bindings.get((function, item.name), []), depth + 1, item.parent)

    def pointed(self, thing: Thing, depth: int) -> Things:
        """Evaluate an index into a pointer: the same type, unless the type has an index operator."""
        item = self.scope(thing.path).definitions[thing.position]
        if depth > MAX_DEPTH:
            return ()
        if thing.kind == "def" and item.kind in VALUES and (values := self.value_of(thing, depth + 1)) != (thing,):
            many = f"{item.name}[" in item.signature  # an array, regardless of the operators of its items
            return values if many else self._all(self.item(one, depth + 1) for one in values)
        aliased = self.aliased(thing, depth)
        if aliased:
            return self._all(self.item(one, depth + 1) for one in aliased if one != thing)
        operator = [one for one in self.member(thing, "operator[]", depth + 1) if one.kind == "def"]
        return self._all(self.called(one, depth + 1) for one in operator) if operator else (thing,)
