"""Resolver: what a mention means, by the scopes, imports and types of its language, never by similarity.

A bare name is looked up outwards: enclosing functions, members of the enclosing type (where the language allows that),
the file, its imports, and what else is visible. A name after a receiver is a member of what the receiver's chain of
names evaluates to. Anything that cannot be followed stays unresolved.
"""

from collections.abc import Iterable, Iterator

from codecompass.engine.navigation.imports.module_index import ModuleIndex
from codecompass.engine.navigation.resolver.context import DoubtCounter, LaterParts, LookupContext, Memo
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex, DefinitionKey
from codecompass.engine.navigation.resolver.evaluator import Evaluator
from codecompass.engine.navigation.resolver.extension_members import ExtensionMembers
from codecompass.engine.navigation.resolver.import_lookup import ImportLookup
from codecompass.engine.navigation.resolver.includes import Linkage
from codecompass.engine.navigation.resolver.module_paths import ModulePaths
from codecompass.engine.navigation.resolver.name_lookup import NameLookup
from codecompass.engine.navigation.resolver.namespaces import NamespaceLookup
from codecompass.engine.navigation.resolver.object_members import ObjectMembers
from codecompass.engine.navigation.resolver.scopes import FileScope, FileScopes
from codecompass.engine.navigation.resolver.values import Entities, Entity, NameResolution, merge
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.code.facts import Import

_TYPE_ROLES = frozenset({"type", "inherit", "instance", "throw", "decorator"})
"""Roles that (almost) only types can have."""


class Resolver:
    """Resolves mentions in one view, for the duration of the call that pinned it."""

    memo_class: type[Memo] = Memo
    import_class: type[ImportLookup] = ImportLookup
    name_class: type[NameLookup] = NameLookup
    evaluator_class: type[Evaluator] = Evaluator

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        self.view = view
        self.modules = modules
        scopes, doubts = FileScopes(view, modules), DoubtCounter()
        self.linkage = Linkage(view, modules, scopes.get)
        context = LookupContext(view, modules, scopes, self.linkage, self.memo_class(doubts), doubts)
        later = LaterParts()
        self._scopes = scopes
        self._doubts = doubts
        self._definitions = DefinitionIndex(context)
        self._paths = ModulePaths(context, later, self._definitions)
        self._imports = self.import_class(context, later, self._definitions, self._paths)
        namespaces = NamespaceLookup(context, later, self._definitions, self._imports)
        self._names = self.name_class(context, later, self._definitions, self._paths, self._imports, namespaces)
        self._extensions = ExtensionMembers(context, later, self._definitions, self._imports, namespaces, self._names)
        self._members = ObjectMembers(context, later, self._definitions, self._imports, self._names)
        self._evaluator = self.evaluator_class(context, self._definitions, self._names, self._extensions, self._members)
        later.connect(self._members, self._evaluator)

    @property
    def doubts(self) -> int:
        """Number of uncertain answers; only `CertainResolver` counts them."""
        return self._doubts.count

    # -- mentions --------------------------------------------------------------------------------------------------

    def resolve(self, path: str, role: str, name: str, owner: int, receiver: str, line: int) -> NameResolution:
        """Resolve one mention."""
        if receiver == LOCAL:
            return self._to_resolution(self._names.resolve_local(path, owner, name, 0, 2 * line + 1), bound=True)
        if role == "import":
            return self._to_resolution(self._imports.resolve_mention(path, name, line))
        if not receiver:
            look = self._names.resolve_type if role in _TYPE_ROLES else self._names.resolve_name
            found = self.linkage.filter_types(path, look(path, owner, name, 0), types=role in _TYPE_ROLES)
        else:
            entities = self.evaluate(path, owner, receiver, 0, 2 * line + 1 if receiver.startswith(LOCAL) else 0)
            found = merge(self._members.member(entity, name) for entity in entities)
            found = self._extensions.add_extensions(path, owner, name, entities, found)
        visible = self._paths.select_visible(path, role, found)
        return self._to_resolution(self._extensions.filter_by_role(role, visible))

    def _to_resolution(self, entities: Iterable[Entity], *, bound: bool = False) -> NameResolution:
        entities = tuple(dict.fromkeys(entities))
        places = tuple((entity.path, entity.position) for entity in entities if entity.kind == "def")
        if places:
            logical = {self.get_identity(*place) for place in places}
            return NameResolution("resolved" if len(logical) == 1 else "ambiguous", self.add_declarations(places))
        known = bound or any(entity.kind in ("external", "module", "instance", "collection") for entity in entities)
        return NameResolution("external" if known else "unresolved")

    # -- single lookups --------------------------------------------------------------------------------------------

    def scope(self, path: str) -> FileScope:
        return self._scopes.get(path)

    def resolve_name(self, path: str, owner: int, name: str) -> Entities:
        """Resolve a bare name in the scope of `owner`."""
        return self._names.resolve_name(path, owner, name)

    def member(self, entity: Entity, name: str) -> Entities:
        """Resolve `name` as a member of an entity."""
        return self._members.member(entity, name)

    def evaluate(self, path: str, owner: int, text: str, depth: int = 0, at: int = 0) -> Entities:
        """Evaluate a chain of names; `at` is twice the line, plus one for a position after its binding."""
        return self._evaluator.evaluate(path, owner, text, depth, at)

    def find_self_type(self, path: str, owner: int) -> Entities:
        """Return the type that a definition belongs to."""
        return self._members.find_self_type(path, owner)

    def find_import_sources(self, scope: FileScope, item: Import) -> Entities:
        """Return the modules that an import takes its names from."""
        return self._imports.find_modules(scope, item)

    def find_definitions(self, name: str) -> Iterator[DefinitionKey]:
        """Yield (path, position) of the definitions of a name."""
        return self._definitions.find_definitions(name)

    def blocks(self, entity: Entity) -> list[int]:
        """Return the positions of a type in its own file: itself, its impl blocks, and its companion objects."""
        return self._definitions.blocks(entity)

    def get_identity(self, path: str, position: int) -> tuple[object, ...]:
        """Return an identity that overloads, and the getter and setter of a property, share."""
        return self._definitions.get_identity(path, position)

    def add_declarations(self, places: tuple[DefinitionKey, ...]) -> tuple[DefinitionKey, ...]:
        """Add the declarations that the linker merges with these definitions, largest first."""
        return self._definitions.add_declarations(places)
