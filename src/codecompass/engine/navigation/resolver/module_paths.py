"""Paths: names followed one by one from where they stand — the root, the module around, the one above, or another root.

A module is a file, or a definition inside one; types can stand in a path like modules. A definition of a module without
a body stands for the file that holds it.
"""

from codecompass.engine.navigation.imports.module_index import ModuleIndex, nearest
from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, Lookup, defs
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, Thing, Things
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Import


class Paths(Lookup):
    """Adds to the lookup what languages with `module_words` do differently; for the others nothing changes."""

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
        """What a path means at a line."""
        inside = scope.module_at(line)
        here = Thing("def", scope.path, inside) if inside >= 0 else Thing("module", scope.path)
        root, this, above = scope.rule.module_words
        head, *rest = words
        self._walks += 1  # a path may lead to another one; how many deep is told to nobody else
        try:
            if head == this:
                things: Things = (here,)
            elif head == above:
                things = self._outside(here)
            elif head == root or self._walks > MAX_DEPTH:
                things = self._root(scope, head)
            else:
                own = defs(scope.path, scope.children.get((inside, head), ()))
                things = own or self.member(here, head, self._walks) or self._root(scope, head)
            for word in rest:
                things = self._all(
                    self._outside(thing) if word == above else self.member(thing, word, self._walks) for thing in things
                )
        finally:
            self._walks -= 1
        return things

    def _root(self, scope: FileScope, word: str) -> Things:
        found = self.modules.find(scope.spec, scope.path, word) if scope.spec else None
        return (EXTERNAL,) if found is None else tuple(Thing("module", place) for place in found)

    def _outside(self, thing: Thing) -> Things:
        """The module around a module."""
        if thing.kind not in ("def", "module"):
            return (thing,)
        scope = self.scope(thing.path)
        if thing.kind == "module":
            return self._root(scope, scope.rule.module_words[2])
        parent = scope.definitions[thing.position].parent
        return (Thing("def", thing.path, parent) if parent >= 0 else Thing("module", thing.path),)

    def inside_module(self, thing: Thing, name: str, depth: int) -> Things:
        """What a module that is a definition offers besides its own: what it imports, or what its file holds."""
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if thing.position not in scope.holders and scope.spec is not None:
            files = self.modules.child(scope.spec, thing.path, item.name)
            return self._all(self._exported(Thing("module", place), name, depth + 1) for place in files)
        here = [each for each in scope.imports.get(name, ()) if scope.module_at(each.line) == thing.position]
        stars = [each for each in scope.stars if scope.module_at(each.line) == thing.position]
        return self._all(self._imported(thing.path, each, depth + 1) for each in here) or self._all(
            self.member(module, name, depth + 1)
            for each in stars
            for module in self._modules(scope, each)
            if module.kind in ("module", "def")
        )

    def meant(self, path: str, role: str, things: Things) -> Things:
        """Kinds that need no import are called, never read; modules are never called."""
        kinds = self.scope(path).rule.open_kinds
        if not kinds:
            return things
        if role not in ("read", "write", "key", "type"):
            return tuple(one for one in things if one.kind != "def" or self._kind(one) != "mod") or things
        return tuple(one for one in things if one.kind != "def" or self._kind(one) not in kinds)

    def _kind(self, thing: Thing) -> str:
        return self.scope(thing.path).definitions[thing.position].kind

    def _unseen(self, scope: FileScope, name: str) -> Things:
        """Definitions of kinds that need no import, the nearest; then another root, called by its name."""
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
