"""Extensions: functions written outside a type and called as if they were its members, and what else roles decide."""

from abc import abstractmethod

from codecompass.engine.navigation.resolver.name_lookup import MAX_SEEN
from codecompass.engine.navigation.resolver.namespaces import Namespaces, closest
from codecompass.engine.navigation.resolver.values import Thing, Things
from codecompass.languages.extraction.bindings import RECEIVER


class Extensions(Namespaces):
    """Adds them to the lookup, for languages whose functions can be marked so."""

    @abstractmethod
    def bases(self, thing: Thing, depth: int = 0) -> Things:
        """The types a type inherits from."""

    @abstractmethod
    def typed(self, path: str, scope_at: int, text: str, depth: int = 0) -> Things:
        """Objects of a type, from the type as written."""

    # -- blocks of members -----------------------------------------------------------------------------------------

    def blocks(self, thing: Thing) -> list[int]:
        """The positions that speak of a type in its own file: itself, blocks for it, and types that lend to it."""
        scope = self.scope(thing.path)
        name = scope.definitions[thing.position].name
        return [thing.position, *scope.implemented.get(name, ()), *scope.lenders.get(thing.position, ())]

    def spread(self, thing: Thing) -> Things:
        """A type with its parts and the blocks that other files write for it."""
        scope = self.scope(thing.path)
        if not scope.rule.blocks:
            return self.parts(thing)
        name = scope.definitions[thing.position].name
        table = self._table(scope.rule.imports, name, blocks=True)
        others = table.get(self.space_of(thing.path, thing.position), ())
        return (thing, *(one for one in others if one.path != thing.path))[:MAX_SEEN]

    # -- functions called as members -------------------------------------------------------------------------------

    def fitting(self, role: str, things: Things) -> Things:
        """Of a field and a function with one name, the one that a mention can mean by what it does."""
        functions = tuple(thing for thing in things if self.is_function(thing))
        others = tuple(thing for thing in things if not self.is_function(thing))
        if not functions or not any(thing.kind == "def" for thing in others):
            return things
        return functions if role == "call" else others if role in ("read", "write", "key") else things

    def extended(self, path: str, owner: int, name: str, things: Things, found: Things) -> Things:
        """Where known things have no such member, the functions that may be called as one; nothing if it is unclear."""
        if self.scope(path).rule.blocks:
            return self._from_blocks(path, owner, name, things, found)
        if not things or any(thing.kind == "def" for thing in found) or all(one.kind == "module" for one in things):
            return found
        judged = [(one, self._takes(one, thing)) for one in self.extensions(path, owner, name) for thing in things]
        sure = tuple(dict.fromkeys(one for one, takes in judged if takes))
        return sure or (() if any(takes is None for _, takes in judged) else found)

    def _from_blocks(self, path: str, owner: int, name: str, things: Things, found: Things) -> Things:
        """Members that blocks write for types from outside. A function that names itself often means another one of
        its name: one further up, or one that the type has from outside.
        """
        scope = self.scope(path)
        around = [at for at in scope.functions(owner) if scope.definitions[at].name == name]
        own = tuple(thing for thing in found if thing.kind == "def")
        makes = name in scope.rule.constructors
        if makes and all(thing.kind == "external" or (thing.kind == "module" and thing.text) for thing in things):
            return ()  # a type from outside has constructors of its own
        if own:
            if len(own) > 1 or own[0].path != path or own[0].position not in around:
                return found
            above = self._all(self.member(base, name) for thing in things for base in self.bases(thing))
            own = () if makes else own  # none calls itself, but one that nobody wrote
            return (*own, *(thing for thing in above if thing.kind == "def"))
        outside = [one.text for one in things if one.kind == "external" and one.text]
        if outside and around:
            return ()
        written = [one for text in outside for one in self.declared(scope.rule.imports, text, name)]
        return tuple(one for one in written if self.is_seen(path, one)) or found

    def extensions(self, path: str, owner: int, name: str) -> Things:
        """Functions written outside a type that may be called as its members, among those a place sees."""
        scope = self.scope(path)
        mark = scope.rule.extension_mark
        if scope.rule.receivers:
            known = (*self.named(path, owner, name), *self._from_spaces(scope, owner, name, 0))
            return tuple(one for one in dict.fromkeys(known) if self._receiver(one))
        if not mark:
            return ()
        stars = self.star_modules(scope)
        seen = {*self.spaces_around(scope, owner), *(one.text for one in stars if one.kind == "module")}
        types = {(one.path, one.position) for one in stars if one.kind == "def"}
        found = []
        for things in self._table(scope.rule.imports, name).values():
            for thing in things:
                other = self.scope(thing.path)
                home = other.home(thing.position)
                if home < 0 or mark not in other.definitions[thing.position].signature:
                    continue
                if (thing.path, home) in types or self.space_of(thing.path, home) in seen:
                    found.append(thing)
        return closest(path, found)

    def _takes(self, function: Thing, thing: Thing) -> bool | None:
        """Whether a thing can be the first parameter of a function; None when that cannot be told."""
        scope = self.scope(function.path)
        text = self._receiver(function)
        if not text:
            after = scope.definitions[function.position].signature.partition(scope.rule.extension_mark)[2]
            text = _until_comma(after).rpartition(" ")[0]
        wanted = self.typed(function.path, function.position, text)
        if thing.kind == "many":
            return any(one.kind == "many" for one in wanted) or None
        own = {(one.path, one.position) for one in wanted if one.kind == "instance"}
        if own:
            return thing.kind in ("def", "instance") and not own.isdisjoint(self._lineage(thing))
        if thing.kind == "external":
            return any(one.kind == "external" and one.text == thing.text != "" for one in wanted) or None
        return True if not wanted and thing.kind == "instance" else None

    def _receiver(self, function: Thing) -> str:
        """The type that a function says it is written for, as text."""
        if function.kind != "def":
            return ""
        bound = self.scope(function.path).bindings.get((function.position, RECEIVER))
        return bound[0].text if bound else ""

    def received(self, path: str, owner: int, until: int) -> Things:
        """The object that a function around a place is called on, where one stands inside the definition `until`."""
        for at in self.scope(path).functions(owner):
            if at > until and (text := self._receiver(Thing("def", path, at))):
                return self.typed(path, at, text)
        return ()

    def _lineage(self, thing: Thing) -> set[tuple[str, int]]:
        """The places of a type and of all types above it."""
        found: set[tuple[str, int]] = set()
        following = [thing]
        while following and len(found) < MAX_SEEN:
            one = following.pop()
            if one.kind in ("def", "instance") and (one.path, one.position) not in found:
                found.add((one.path, one.position))
                following += self.bases(one)
        return found


def _until_comma(text: str) -> str:
    """The text before the first comma or closing bracket that stands in no bracket of its own."""
    depth = 0
    for offset, char in enumerate(text):
        if depth == 0 and char in ",)":
            return text[:offset]
        depth += (char in "<([") - (char in ">)]")
    return text
