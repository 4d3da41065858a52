"""Module paths: follow the segments of a path from the root, the current or parent module, or another root.

A module is a file or an inline definition; types can be segments like modules. A module declaration without a body
refers to the file that holds it.
"""

from codecompass.engine.navigation.imports.module_index import ModuleIndex, select_nearest
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, NameLookup, to_defs
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, Entities, Entity
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Import


class ModulePathLookup(NameLookup):
    """Adds path rules to the lookup; no effect on languages without `module_words`."""

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        super().__init__(view, modules)
        self._path_depth = 0

    def _resolve_name(self, path: str, owner: int, name: str, depth: int) -> Entities:
        scope = self.scope(path)
        if name in scope.rule.module_words:
            return self._resolve_path(scope, [name], scope.definitions[owner].line_end if owner >= 0 else 0)
        return super()._resolve_name(path, owner, name, depth)

    def _find_modules(self, scope: FileScope, item: Import) -> Entities:
        if not scope.rule.module_words or scope.spec is None:
            return super()._find_modules(scope, item)
        words = item.module.split(scope.spec.separator)
        key = ("walked", scope.path, item.module, scope.find_module(item.line))
        return self._memoize(key, self._path_depth, lambda: self._resolve_path(scope, words, item.line))

    def _resolve_path(self, scope: FileScope, words: list[str], line: int) -> Entities:
        """Resolve a path at a line."""
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
                entities = own or self.member(here, head, self._path_depth) or self._find_root(scope, head)
            for word in rest:
                entities = self._merge(
                    self._find_parent(entity) if word == above else self.member(entity, word, self._path_depth)
                    for entity in entities
                )
        finally:
            self._path_depth -= 1
        return entities

    def _find_root(self, scope: FileScope, word: str) -> Entities:
        found = self.modules.find(scope.spec, scope.path, word) if scope.spec else None
        return (EXTERNAL,) if found is None else tuple(Entity("module", place) for place in found)

    def _find_parent(self, entity: Entity) -> Entities:
        """Return the parent of a module."""
        if entity.kind not in ("def", "module"):
            return (entity,)
        scope = self.scope(entity.path)
        if entity.kind == "module":
            return self._find_root(scope, scope.rule.module_words[2])
        parent = scope.definitions[entity.position].parent
        return (Entity("def", entity.path, parent) if parent >= 0 else Entity("module", entity.path),)

    def resolve_in_module(self, entity: Entity, name: str, depth: int) -> Entities:
        """Resolve a name in an inline module beyond its own definitions: its imports, or its file."""
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if entity.position not in scope.containers and scope.spec is not None:
            files = self.modules.find_child(scope.spec, entity.path, item.name)
            return self._merge(self._resolve_export(Entity("module", place), name, depth + 1) for place in files)
        here = [each for each in scope.imports.get(name, ()) if scope.find_module(each.line) == entity.position]
        stars = [each for each in scope.star_imports if scope.find_module(each.line) == entity.position]
        return self._merge(self._resolve_import(entity.path, each, depth + 1) for each in here) or self._merge(
            self.member(module, name, depth + 1)
            for each in stars
            for module in self._find_modules(scope, each)
            if module.kind in ("module", "def")
        )

    def select_visible(self, path: str, role: str, entities: Entities) -> Entities:
        """Keep what the role allows: kinds that need no import are only called, and modules are never called."""
        kinds = self.scope(path).rule.open_kinds
        if not kinds:
            return entities
        if role not in ("read", "write", "key", "type"):
            return tuple(one for one in entities if one.kind != "def" or self._kind(one) != "mod") or entities
        return tuple(one for one in entities if one.kind != "def" or self._kind(one) not in kinds)

    def _kind(self, entity: Entity) -> str:
        return self.scope(entity.path).definitions[entity.position].kind

    def _resolve_unimported(self, scope: FileScope, name: str) -> Entities:
        """Find the nearest definition of a kind that needs no import, or else another root of that name."""
        kinds = scope.rule.open_kinds
        places = {
            path: position
            for path, position in (self.find_definitions(name) if kinds else ())
            if self.scope(path).definitions[position].kind in kinds
        }
        if places:
            return tuple(Entity("def", path, places[path]) for path in select_nearest(scope.path, list(places)))
        if not scope.rule.module_words or scope.spec is None:
            return ()
        return tuple(Entity("module", place) for place in self.modules.find(scope.spec, scope.path, name) or ())
