"""Extension members: functions defined outside a type and called as members, and filters by role."""

from abc import abstractmethod

from codecompass.engine.navigation.resolver.name_lookup import MAX_SEEN
from codecompass.engine.navigation.resolver.namespaces import Namespaces, closest
from codecompass.engine.navigation.resolver.values import Thing, Things
from codecompass.languages.extraction.bindings import RECEIVER


class Extensions(Namespaces):
    """Adds extension functions to the lookup, for languages that have them."""

    @abstractmethod
    def bases(self, entity: Thing, depth: int = 0) -> Things:
        """Return the base types of a type."""

    @abstractmethod
    def typed(self, path: str, scope_at: int, text: str, depth: int = 0) -> Things:
        """Return instances of a written type."""

    # -- blocks of members -----------------------------------------------------------------------------------------

    def blocks(self, entity: Thing) -> list[int]:
        """Return the positions of a type in its own file: itself, its impl blocks, and its companion objects."""
        scope = self.scope(entity.path)
        name = scope.definitions[entity.position].name
        return [entity.position, *scope.implemented.get(name, ()), *scope.lenders.get(entity.position, ())]

    def spread(self, entity: Thing) -> Things:
        """Return a type with its parts and the impl blocks for it in other files."""
        scope = self.scope(entity.path)
        if not scope.rule.blocks:
            return self.parts(entity)
        name = scope.definitions[entity.position].name
        table = self._table(scope.rule.imports, name, blocks=True)
        others = table.get(self.space_of(entity.path, entity.position), ())
        return (entity, *(one for one in others if one.path != entity.path))[:MAX_SEEN]

    # -- functions called as members -------------------------------------------------------------------------------

    def fitting(self, role: str, entities: Things) -> Things:
        """Of a field and a function with one name, keep the one that fits the role of the mention."""
        functions = tuple(entity for entity in entities if self.is_function(entity))
        others = tuple(entity for entity in entities if not self.is_function(entity))
        if not functions or not any(entity.kind == "def" for entity in others):
            return entities
        return functions if role == "call" else others if role in ("read", "write", "key") else entities

    def extended(self, path: str, owner: int, name: str, entities: Things, found: Things) -> Things:
        """Find extension functions for entities without such a member; return nothing if that is uncertain."""
        if self.scope(path).rule.blocks:
            return self._from_blocks(path, owner, name, entities, found)
        if (
            not entities
            or any(entity.kind == "def" for entity in found)
            or all(one.kind == "module" for one in entities)
        ):
            return found
        judged = [(one, self._takes(one, entity)) for one in self.extensions(path, owner, name) for entity in entities]
        sure = tuple(dict.fromkeys(one for one, takes in judged if takes))
        return sure or (() if any(takes is None for _, takes in judged) else found)

    def _from_blocks(self, path: str, owner: int, name: str, entities: Things, found: Things) -> Things:
        """Find members that impl blocks add to external types.

        A function that calls its own name often means another function of that name: an inherited one, or one of the
        external type.
        """
        scope = self.scope(path)
        around = [at for at in scope.functions(owner) if scope.definitions[at].name == name]
        own = tuple(entity for entity in found if entity.kind == "def")
        makes = name in scope.rule.constructors
        if makes and all(entity.kind == "external" or (entity.kind == "module" and entity.text) for entity in entities):
            return ()  # an external type has constructors of its own
        if own:
            if len(own) > 1 or own[0].path != path or own[0].position not in around:
                return found
            above = self._all(self.member(base, name) for entity in entities for base in self.bases(entity))
            own = () if makes else own  # a constructor does not call itself, but an implicit one
            return (*own, *(entity for entity in above if entity.kind == "def"))
        outside = [one.text for one in entities if one.kind == "external" and one.text]
        if outside and around:
            return ()
        written = [one for text in outside for one in self.declared(scope.rule.imports, text, name)]
        return tuple(one for one in written if self.is_seen(path, one)) or found

    def extensions(self, path: str, owner: int, name: str) -> Things:
        """Return the visible functions that may be called as members of a type."""
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
        for entities in self._table(scope.rule.imports, name).values():
            for entity in entities:
                other = self.scope(entity.path)
                home = other.home(entity.position)
                if home < 0 or mark not in other.definitions[entity.position].signature:
                    continue
                if (entity.path, home) in types or self.space_of(entity.path, home) in seen:
                    found.append(entity)
        return closest(path, found)

    def _takes(self, function: Thing, entity: Thing) -> bool | None:
        """Return whether an entity can be the receiver of a function; None if that is unknown."""
        scope = self.scope(function.path)
        text = self._receiver(function)
        if not text:
            after = scope.definitions[function.position].signature.partition(scope.rule.extension_mark)[2]
            text = _until_comma(after).rpartition(" ")[0]
        wanted = self.typed(function.path, function.position, text)
        if entity.kind == "collection":
            return any(one.kind == "collection" for one in wanted) or None
        own = {(one.path, one.position) for one in wanted if one.kind == "instance"}
        if own:
            return entity.kind in ("def", "instance") and not own.isdisjoint(self._lineage(entity))
        if entity.kind == "external":
            return any(one.kind == "external" and one.text == entity.text != "" for one in wanted) or None
        return True if not wanted and entity.kind == "instance" else None

    def _receiver(self, function: Thing) -> str:
        """Return the receiver type of a function as text."""
        if function.kind != "def":
            return ""
        bound = self.scope(function.path).bindings.get((function.position, RECEIVER))
        return bound[0].text if bound else ""

    def received(self, path: str, owner: int, until: int) -> Things:
        """Return the receiver of a function around a definition, searching inside the definition `until`."""
        for at in self.scope(path).functions(owner):
            if at > until and (text := self._receiver(Thing("def", path, at))):
                return self.typed(path, at, text)
        return ()

    def _lineage(self, entity: Thing) -> set[tuple[str, int]]:
        """Return the keys of a type and of all its base types."""
        found: set[tuple[str, int]] = set()
        following = [entity]
        while following and len(found) < MAX_SEEN:
            one = following.pop()
            if one.kind in ("def", "instance") and (one.path, one.position) not in found:
                found.add((one.path, one.position))
                following += self.bases(one)
        return found


def _until_comma(text: str) -> str:
    """Return the text before the first comma or closing bracket outside nested brackets."""
    depth = 0
    for offset, char in enumerate(text):
        if depth == 0 and char in ",)":
            return text[:offset]
        depth += (char in "<([") - (char in ">)]")
    return text
