"""Module paths: follow the segments of a path from the root, the current or parent module, or another root.

A module is a file or an inline definition; types can be segments like modules. A module declaration without a body
refers to the file that holds it.
"""

from codecompass.engine.navigation.imports.module_index import select_nearest
from codecompass.engine.navigation.resolver.context import LaterParts, LookupContext
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, MAX_DEPTH, Entities, Entity, merge, to_defs
from codecompass.model.code.facts import Import


class ModulePaths:
    """Resolves paths of modules, in languages with `module_words`."""

    def __init__(self, context: LookupContext, later: LaterParts, definitions: DefinitionIndex) -> None:
        self._modules = context.modules
        self._memo = context.memo
        self._scope = context.scopes.get
        self._later = later
        self._definitions = definitions
        self._path_depth = 0

    def find_modules(self, scope: FileScope, item: Import, separator: str) -> Entities:
        """Return the modules that the path of an import refers to."""
        words = item.module.split(separator)
        key = ("walked", scope.path, item.module, scope.find_module(item.line))
        return self._memo.compute(key, self._path_depth, lambda: self.resolve_path(scope, words, item.line))

    def resolve_path(self, scope: FileScope, words: list[str], line: int) -> Entities:
        """Resolve a path at a line."""
        member = self._later.members.member
        inside = scope.find_module(line)
        here = Entity("def", scope.path, inside) if inside >= 0 else Entity("module", scope.path)
        root, this, above = scope.rule.module_words
        head, *rest = words
        self._path_depth += 1  # resolving a path may resolve further paths; this counts the depth
        try:
            if head == this:
                entities: Entities = (here,)
            elif head == above:
                entities = self._find_parent(here)
            elif head == root or self._path_depth > MAX_DEPTH:
                entities = self._find_root(scope, head)
            else:
                own = to_defs(scope.path, scope.children.get((inside, head), ()))
                entities = own or member(here, head, self._path_depth) or self._find_root(scope, head)
            for word in rest:
                entities = merge(
                    self._find_parent(entity) if word == above else member(entity, word, self._path_depth)
                    for entity in entities
                )
        finally:
            self._path_depth -= 1
        return entities

    def _find_root(self, scope: FileScope, word: str) -> Entities:
        found = self._modules.find(scope.spec, scope.path, word) if scope.spec else None
        return (EXTERNAL,) if found is None else tuple(Entity("module", place) for place in found)

    def _find_parent(self, entity: Entity) -> Entities:
        """Return the parent of a module."""
        if entity.kind not in ("def", "module"):
            return (entity,)
        scope = self._scope(entity.path)
        if entity.kind == "module":
            return self._find_root(scope, scope.rule.module_words[2])
        parent = scope.definitions[entity.position].parent
        return (Entity("def", entity.path, parent) if parent >= 0 else Entity("module", entity.path),)

    def select_visible(self, path: str, role: str, entities: Entities) -> Entities:
        """Keep what the role allows: kinds that need no import are only called, and modules are never called."""
        kinds = self._scope(path).rule.open_kinds
        if not kinds:
            return entities
        get_kind = self._definitions.get_kind
        if role not in ("read", "write", "key", "type"):
            return tuple(one for one in entities if one.kind != "def" or get_kind(one) != "mod") or entities
        return tuple(one for one in entities if one.kind != "def" or get_kind(one) not in kinds)

    def find_unimported(self, scope: FileScope, name: str) -> Entities:
        """Find the nearest definition of a kind that needs no import, or else another root of that name."""
        kinds = scope.rule.open_kinds
        places = {
            path: position
            for path, position in (self._definitions.find_definitions(name) if kinds else ())
            if self._scope(path).definitions[position].kind in kinds
        }
        if places:
            return tuple(Entity("def", path, places[path]) for path in select_nearest(scope.path, list(places)))
        if not scope.rule.module_words or scope.spec is None:
            return ()
        return tuple(Entity("module", place) for place in self._modules.find(scope.spec, scope.path, name) or ())
