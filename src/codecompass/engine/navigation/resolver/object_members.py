"""Objects: what stands behind names where a type has several places — aliases, pointers, twins, members lent to it."""

from abc import abstractmethod

from codecompass.engine.navigation.resolver.extension_members import Extensions
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, NAMED_TYPES, as_instance
from codecompass.engine.navigation.resolver.type_syntax import alternatives
from codecompass.engine.navigation.resolver.values import EXTERNAL, Thing, Things
from codecompass.model.code.facts import Binding

VALUES = frozenset({"var", "const", "field", "property"})
Place = tuple[str, int]


class Objects(Extensions):
    """Adds what languages do with linked names and with members that stand outside; for the others nothing changes."""

    @abstractmethod
    def value_of(self, thing: Thing, depth: int = 0) -> Things:
        """What a definition stands for."""

    @abstractmethod
    def called(self, thing: Thing, depth: int = 0) -> Things:
        """What a call of a thing gives."""

    @abstractmethod
    def item(self, thing: Thing, depth: int) -> Things:
        """What a holder of many holds."""

    def logical(self, path: str, position: int) -> tuple[object, ...]:
        """Overloads, and the getter and setter of a property, are one thing."""
        scope = self.scope(path)
        if scope.rule.reach == "includes":
            return self.linkage.identity(path, position)
        home = scope.home(position)
        if any(at >= 0 and self.is_open(Thing("def", path, at)) for at in (position, home)) or (
            scope.rule.blocks and home >= 0
        ):
            return self.full_name(path, position), -1, "", ""  # its parts are one thing too
        item = scope.definitions[position]
        return path, home, item.scope, item.name

    def first_named(self, path: str, owner: int, name: str, depth: int) -> Things:
        """The first name of a chain, where it is no variable of a function."""
        rule = self.scope(path).rule
        word, at, label = name.partition("@")
        if at and word in rule.self_words:  # the object of a type further out
            return tuple(as_instance(one) for one in self.type_named(path, owner, label, depth) if self.is_space(one))
        found = self.spaced(path, self.head_named(path, owner, name, depth))
        if rule.reach == "includes" and found == (EXTERNAL,) and name[:1].islower() and name not in rule.builtins:
            return ()  # a variable that a macro made, as likely as something from outside
        return found

    def with_twins(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Definitions and declarations that a linker makes one, what holds most first."""
        if self.scope(places[0][0]).rule.reach != "includes":
            return places
        found = dict.fromkeys([*places, *(twin for place in places for twin in self.linkage.twins(*place))])
        return tuple(sorted(found, key=lambda place: (-self.linkage.size(place), place)))

    def result_of_twins(self, thing: Thing, depth: int) -> Things:
        """What a function gives by one of the other places that declare it."""
        if self.scope(thing.path).rule.reach != "includes":
            return ()
        twins = self.linkage.twins(thing.path, thing.position)
        known = ((path, self.scope(path).bindings.get((at, "()"), [])) for path, at in twins)
        return next((self.values(path, more, depth + 1) for path, more in known if more), ())

    def outer_type(self, path: str, functions: list[int]) -> Things:
        """The type of a function that is defined outside it."""
        found = self._all(self.linkage.types_of(path, at) for at in functions[-1:])
        types = [thing for thing in found if thing.kind == "def"]
        kinds = [self.scope(thing.path).definitions[thing.position].kind for thing in types]
        return tuple(as_instance(thing) for thing, kind in zip(types, kinds, strict=True) if kind in NAMED_TYPES)

    def mixed_first(self, bases: Things) -> Things:
        """Bases in the order in which members are looked for: what is mixed into a type hides what it inherits."""
        return tuple(sorted(bases, key=lambda base: not self._is_mixed(base)))

    def parents(self, thing: Thing, depth: int) -> Things:
        """The types above a type, without what is mixed into it; interfaces only where nothing else is."""
        above = tuple(base for base in self.bases(thing, depth) if not self._is_mixed(base))
        return tuple(base for base in above if self._kind_of(base) != "interface") or above

    def _is_mixed(self, base: Thing) -> bool:
        return self._kind_of(base) == "trait"

    def _kind_of(self, thing: Thing) -> str:
        known = thing.kind in ("def", "instance")
        return self.scope(thing.path).definitions[thing.position].kind if known else ""

    def tested(self, path: str, bound: list[Binding], depth: int, place: int) -> Things:
        """What bindings say of which some are types that a value is tested for: those count where nothing is known."""
        known = [item for item in bound if item.how != "test"]
        found = self.values(path, known, depth, place) if known else ()
        tests = [item._replace(how="value") for item in bound if item.how == "test"]
        return found or self.values(path, tests, depth, place)

    def late(self, thing: Thing, before: Things) -> Things:
        """What a function gives that says that it gives the object on which it is called."""
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
        """Members that the same file writes outside what they are members of."""
        scope = self.scope(thing.path)
        if not scope.rule.function_types:
            return {}
        item = scope.definitions[thing.position]
        around = f"{item.scope}.{item.name}" if item.scope else item.name
        return scope.lent.get(around) or scope.lent.get(item.name, {})

    def aliased(self, thing: Thing, depth: int) -> Things:
        """What a type that only gives another one a name stands for."""
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if item.kind != "type":
            return ()
        function = next(iter(scope.functions(thing.position)), -1)
        return self.values(thing.path, scope.bindings.get((function, item.name), []), depth + 1, item.parent)

    def pointed(self, thing: Thing, depth: int) -> Things:
        """What an index into a pointer gives: the same type, unless the type has an operator for it."""
        item = self.scope(thing.path).definitions[thing.position]
        if depth > MAX_DEPTH:
            return ()
        if thing.kind == "def" and item.kind in VALUES and (values := self.value_of(thing, depth + 1)) != (thing,):
            many = f"{item.name}[" in item.signature  # an array, whatever operators its items have
            return values if many else self._all(self.item(one, depth + 1) for one in values)
        aliased = self.aliased(thing, depth)
        if aliased:
            return self._all(self.item(one, depth + 1) for one in aliased if one != thing)
        operator = [one for one in self.member(thing, "operator[]", depth + 1) if one.kind == "def"]
        return self._all(self.called(one, depth + 1) for one in operator) if operator else (thing,)
