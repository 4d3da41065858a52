"""Module paths: follow the segments of a path from the root, the current or parent module, or another root.

A module is a file or an inline definition; types can be segments like modules. A module declaration without a body
refers to the file that holds it.
"""

from codecompass.engine.navigation.imports.module_index import ModuleIndex, nearest
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, Lookup, defs
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, Thing, Things
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Import


class Paths(Lookup):
    """Adds path rules to the lookup; no effect on languages without `module_words`."""

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        super().__init__(view, modules)
        self._walks = 0

    def _named(self, path: str, owner: int, name: str, depth: int) -> Things:
        scope = self.scope(path)
        if name in scope.rule.module_words:
            return self._walked(scope, [name], scope.definitions[owner].line_end if owner >= 0 else 0)
        return super()._named(path, owner, name, depth)

    def _modules(self, scope: FileScope, item: Import) -> Things:
        if not scope.rule.module_words or scope.spec is None:
            return super()._modules(scope, item)
        words = item.module.split(scope.spec.separator)
        key = ("walked", scope.path, item.module, scope.module_at(item.line))
        return self._once(key, self._walks, lambda: self._walked(scope, words, item.line))

    def _walked(self, scope: FileScope, words: list[str], line: int) -> Things:
        """Resolve a path at a line."""
        inside = scope.module_at(line)
        here = Thing("def", scope.path, inside) if inside >= 0 else Thing("module", scope.path)
        root, this, above = scope.rule.module_words
        head, *rest = words
        self._walks += 1  # resolving a path may resolve further paths; this counts the depth
        try:
            if head == this:
                entities: Things = (here,)
            elif head == above:
                entities = self._outside(here)
            elif head == root or self._walks > MAX_DEPTH:
                entities = self._root(scope, head)
            else:
                own = defs(scope.path, scope.children.get((inside, head), ()))
                entities = own or self.member(here, head, self._walks) or self._root(scope, head)
            for word in rest:
                entities = self._all(
                    self._outside(entity) if word == above else self.member(entity, word, self._walks)
                    for entity in entities
                )
        finally:
            self._walks -= 1
        return entities

    def _root(self, scope: FileScope, word: str) -> Things:
        found = self.modules.find(scope.spec, scope.path, word) if scope.spec else None
        return (EXTERNAL,) if found is None else tuple(Thing("module", place) for place in found)

    def _outside(self, entity: Thing) -> Things:
        """Return the parent of a module."""
        if entity.kind not in ("def", "module"):
            return (entity,)
        scope = self.scope(entity.path)
        if entity.kind == "module":
            return self._root(scope, scope.rule.module_words[2])
        parent = scope.definitions[entity.position].parent
        return (Thing("def", entity.path, parent) if parent >= 0 else Thing("module", entity.path),)

    def inside_module(self, entity: Thing, name: str, depth: int) -> Things:
        """Resolve a name in an inline module beyond its own definitions: its imports, or its file."""
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if entity.position not in scope.holders and scope.spec is not None:
            files = self.modules.child(scope.spec, entity.path, item.name)
            return self._all(self._exported(Thing("module", place), name, depth + 1) for place in files)
        here = [each for each in scope.imports.get(name, ()) if scope.module_at(each.line) == entity.position]
        stars = [each for each in scope.stars if scope.module_at(each.line) == entity.position]
        return self._all(self._imported(entity.path, each, depth + 1) for each in here) or self._all(
            self.member(module, name, depth + 1)
            for each in stars
            for module in self._modules(scope, each)
            if module.kind in ("module", "def")
        )

    def meant(self, path: str, role: str, entities: Things) -> Things:
        """Keep what the role allows: kinds that need no import are only called, and modules are never called."""
        kinds = self.scope(path).rule.open_kinds
        if not kinds:
            return entities
        if role not in ("read", "write", "key", "type"):
            return tuple(one for one in entities if one.kind != "def" or self._kind(one) != "mod") or entities
        return tuple(one for one in entities if one.kind != "def" or self._kind(one) not in kinds)

    def _kind(self, entity: Thing) -> str:
        return self.scope(entity.path).definitions[entity.position].kind

    def _unseen(self, scope: FileScope, name: str) -> Things:
        """Find the nearest definition of a kind that needs no import, or else another root of that name."""
        kinds = scope.rule.open_kinds
        places = {
            path: position
            for path, position in (self.definitions_named(name) if kinds else ())
            if self.scope(path).definitions[position].kind in kinds
        }
        if places:
            return tuple(Thing("def", path, places[path]) for path in nearest(scope.path, list(places)))
        if not scope.rule.module_words or scope.spec is None:
            return ()
        return tuple(Thing("module", place) for place in self.modules.find(scope.spec, scope.path, name) or ())
