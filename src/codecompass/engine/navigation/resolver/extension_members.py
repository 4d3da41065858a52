"""Extension members: functions defined outside a type and called as members, and filters by role."""

from codecompass.engine.navigation.resolver.context import LaterParts, LookupContext
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex, select_closest
from codecompass.engine.navigation.resolver.import_lookup import ImportLookup
from codecompass.engine.navigation.resolver.name_lookup import NameLookup
from codecompass.engine.navigation.resolver.namespaces import NamespaceLookup
from codecompass.engine.navigation.resolver.values import MAX_ENTITIES, Entities, Entity, merge


class ExtensionMembers:
    """Finds extension functions and members of impl blocks for external types, in languages that have them."""

    def __init__(
        self,
        context: LookupContext,
        later: LaterParts,
        definitions: DefinitionIndex,
        imports: ImportLookup,
        namespaces: NamespaceLookup,
        names: NameLookup,
    ) -> None:
        self._scope = context.scopes.get
        self._later = later
        self._definitions = definitions
        self._imports = imports
        self._namespaces = namespaces
        self._names = names

    def filter_by_role(self, role: str, entities: Entities) -> Entities:
        """Of a field and a function with one name, keep the one that fits the role of the mention."""
        functions = tuple(entity for entity in entities if self._definitions.is_function(entity))
        others = tuple(entity for entity in entities if not self._definitions.is_function(entity))
        if not functions or not any(entity.kind == "def" for entity in others):
            return entities
        return functions if role == "call" else others if role in ("read", "write", "key") else entities

    def add_extensions(self, path: str, owner: int, name: str, entities: Entities, found: Entities) -> Entities:
        """Find extension functions for entities without such a member; return nothing if that is uncertain."""
        if self._scope(path).rule.blocks:
            return self._find_block_members(path, owner, name, entities, found)
        if (
            not entities
            or any(entity.kind == "def" for entity in found)
            or all(one.kind == "module" for one in entities)
        ):
            return found
        judged = [
            (one, self._accepts(one, entity)) for one in self.find_extensions(path, owner, name) for entity in entities
        ]
        sure = tuple(dict.fromkeys(one for one, takes in judged if takes))
        return sure or (() if any(takes is None for _, takes in judged) else found)

    def _find_block_members(self, path: str, owner: int, name: str, entities: Entities, found: Entities) -> Entities:
        """Find members that impl blocks add to external types.

        A function that calls its own name often means another function of that name: an inherited one, or one of the
        external type.
        """
        scope = self._scope(path)
        around = [at for at in scope.list_functions(owner) if scope.definitions[at].name == name]
        own = tuple(entity for entity in found if entity.kind == "def")
        makes = name in scope.rule.constructors
        if makes and all(entity.kind == "external" or (entity.kind == "module" and entity.text) for entity in entities):
            return ()  # an external type has constructors of its own
        if own:
            if len(own) > 1 or own[0].path != path or own[0].position not in around:
                return found
            above = merge(
                self._later.members.member(base, name)
                for entity in entities
                for base in self._later.members.bases(entity)
            )
            own = () if makes else own  # a constructor does not call itself, but an implicit one
            return (*own, *(entity for entity in above if entity.kind == "def"))
        outside = [one.text for one in entities if one.kind == "external" and one.text]
        if outside and around:
            return ()
        written = [one for text in outside for one in self._definitions.find_declared(scope.rule.imports, text, name)]
        return tuple(one for one in written if self._definitions.is_visible(path, one)) or found

    def find_extensions(self, path: str, owner: int, name: str) -> Entities:
        """Return the visible functions that may be called as members of a type."""
        scope = self._scope(path)
        mark = scope.rule.extension_mark
        if scope.rule.receivers:
            known = (
                *self._names.resolve_name(path, owner, name),
                *self._namespaces.resolve_in_namespaces(scope, owner, name, 0),
            )
            return tuple(one for one in dict.fromkeys(known) if self._get_receiver(one))
        if not mark:
            return ()
        stars = self._imports.find_star_modules(scope)
        seen = {*self._namespaces.list_namespaces(scope, owner), *(one.text for one in stars if one.kind == "module")}
        types = {(one.path, one.position) for one in stars if one.kind == "def"}
        found = []
        for entities in self._definitions.load_table(scope.rule.imports, name).values():
            for entity in entities:
                other = self._scope(entity.path)
                home = other.find_container(entity.position)
                if home < 0 or mark not in other.definitions[entity.position].signature:
                    continue
                if (entity.path, home) in types or self._definitions.get_namespace(entity.path, home) in seen:
                    found.append(entity)
        return select_closest(path, found)

    def _accepts(self, function: Entity, entity: Entity) -> bool | None:
        """Return whether an entity can be the receiver of a function; None if that is unknown."""
        scope = self._scope(function.path)
        text = self._get_receiver(function)
        if not text:
            after = scope.definitions[function.position].signature.partition(scope.rule.extension_mark)[2]
            text = _cut_at_comma(after).rpartition(" ")[0]
        wanted = self._later.values.instantiate(function.path, function.position, text)
        if entity.kind == "collection":
            return any(one.kind == "collection" for one in wanted) or None
        own = {(one.path, one.position) for one in wanted if one.kind == "instance"}
        if own:
            return entity.kind in ("def", "instance") and not own.isdisjoint(self._collect_ancestors(entity))
        if entity.kind == "external":
            return any(one.kind == "external" and one.text == entity.text != "" for one in wanted) or None
        return True if not wanted and entity.kind == "instance" else None

    def _collect_ancestors(self, entity: Entity) -> set[tuple[str, int]]:
        """Return the keys of a type and of all its base types."""
        found: set[tuple[str, int]] = set()
        following = [entity]
        while following and len(found) < MAX_ENTITIES:
            one = following.pop()
            if one.kind in ("def", "instance") and (one.path, one.position) not in found:
                found.add((one.path, one.position))
                following += self._later.members.bases(one)
        return found

    def _get_receiver(self, function: Entity) -> str:
        """Return the receiver type of a function as text."""
        return self._scope(function.path).get_receiver(function.position) if function.kind == "def" else ""


def _cut_at_comma(text: str) -> str:
    """Return the text before the first comma or closing bracket outside nested brackets."""
    depth = 0
    for offset, char in enumerate(text):
        if depth == 0 and char in ",)":
            return text[:offset]
        depth += (char in "<([") - (char in ">)]")
    return text
