"""Lookup: what a bare name means at a place — outwards through functions, the file, its imports and modules."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from codecompass.engine.navigate.modules import ModuleIndex
from codecompass.engine.navigate.scopes import FileScope
from codecompass.engine.navigate.things import EXTERNAL, Thing, Things
from codecompass.engine.view import PinnedView
from codecompass.languages.nesting import FUNCTIONS
from codecompass.model.code import Binding, Import

MAX_DEPTH = 12
"""Steps from name to name before a chain of imports, aliases and results is given up."""
MAX_SEEN = 40
NAMED_TYPES = frozenset({"class", "struct", "enum", "trait", "interface", "type", "impl"})


class Lookup(ABC):
    """Reads one view; lives as long as the call that pinned it. What members and values are is said by the Resolver."""

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        self.view = view
        self.modules = modules
        self._scopes: dict[str, FileScope] = {}
        self._memo: dict[tuple[object, ...], Things] = {}
        self._busy: set[tuple[object, ...]] = set()
        self._cuts = 0

    def scope(self, path: str) -> FileScope:
        known = self._scopes.get(path)
        if known is None:
            facts = self.view.facts(path)
            blob = self.view.entries[path].blob
            known = FileScope(path, facts, self.view.spec(facts.language), lambda: self.view.snapshot.uses(blob))
            self._scopes[path] = known
        return known

    @abstractmethod
    def around(self, path: str, owner: int) -> Things:
        """The type that a place belongs to."""

    @abstractmethod
    def member(self, thing: Thing, name: str, depth: int = 0) -> Things:
        """What `name` after a thing means."""

    @abstractmethod
    def values(self, path: str, bound: list[Binding], depth: int) -> Things:
        """What bindings say."""

    # -- names -----------------------------------------------------------------------------------------------------

    def named(self, path: str, owner: int, name: str, depth: int = 0) -> Things:
        """What a bare name means at a place."""
        return self._once(("named", path, owner, name), depth, lambda: self._named(path, owner, name, depth))

    def _named(self, path: str, owner: int, name: str, depth: int) -> Things:
        scope = self.scope(path)
        rule = scope.rule
        if name in rule.self_types:
            return self.around(path, owner)
        at = owner
        while at >= 0:
            item = scope.definitions[at]
            if item.name == name and item.kind in NAMED_TYPES:
                return (Thing("def", path, at),)
            inside = scope.children.get((at, name))
            if inside and (item.kind in FUNCTIONS or item.kind == "mod" or rule.bare_members):
                return defs(path, inside)
            at = item.parent
        found = self._local(path, owner, name, depth)
        if found:
            return found
        if rule.bare_members or (rule.member_prefix and name.startswith(rule.member_prefix)):
            for thing in self.around(path, owner):
                found = tuple(item for item in self.member(thing, name, depth + 1) if item.kind != "external")
                if found:
                    return found
        return self._from_file(scope, name, depth)

    def _from_file(self, scope: FileScope, name: str, depth: int) -> Things:
        """A name at the top of a file: its own, imported, or seen from elsewhere."""
        top = scope.children.get((-1, name))
        if top:
            return defs(scope.path, top)
        if name in scope.imports:
            return self._all(self._imported(scope.path, item, depth + 1) for item in scope.imports[name])
        found = self._all(
            self._exported(module, name, depth + 1)
            for item in scope.stars
            for module in self._modules(scope, item)
            if module.kind == "module"
        )
        if found:
            return found
        found = self._reached(scope, name)
        if found:
            return found
        outside = any(module.kind == "external" for item in scope.stars for module in self._modules(scope, item))
        return (EXTERNAL,) if scope.rule.reach == "file" and (outside or not scope.stars) else ()

    def _reached(self, scope: FileScope, name: str) -> Things:
        """Names a file sees without an import: of its directory, its package, or the whole project."""
        reach = scope.rule.reach
        if reach == "file":
            return ()
        found = []
        for row in self.view.snapshot.symbols_named(name.casefold(), prefix=False, limit=MAX_SEEN * 50):
            if row.name != name:
                continue
            for path in self.view.paths.get(row.blob, ()):
                other = self.scope(path)
                if other.rule.imports != scope.rule.imports or other.definitions[row.position].kind == "use":
                    continue
                if self._in_reach(scope, other, row.position):
                    found.append(Thing("def", path, row.position))
        return tuple(found[:MAX_SEEN])

    def _in_reach(self, scope: FileScope, other: FileScope, position: int) -> bool:
        item = other.definitions[position]
        if scope.rule.reach == "directory":
            return item.parent < 0 and not item.scope and _directory(scope.path) == _directory(other.path)
        if scope.rule.reach == "package":
            return item.parent < 0 and not item.scope and scope.facts.package == other.facts.package
        return item.kind in NAMED_TYPES or item.parent < 0 or other.definitions[item.parent].kind == "mod"

    def _local(self, path: str, owner: int, name: str, depth: int) -> Things:
        """What a name bound in the functions around a place stands for."""
        scope = self.scope(path)
        for function in (*scope.functions(owner), -1):
            bound = scope.bindings.get((function, name))
            # What the file defines at its top is found as a definition.
            if bound and (function >= 0 or (-1, name) not in scope.children):
                return self.values(path, bound, depth + 1)
        return ()

    # -- imports and modules ---------------------------------------------------------------------------------------

    def _modules(self, scope: FileScope, item: Import) -> Things:
        if scope.spec is None:
            return ()
        found = self.modules.find(scope.spec, scope.path, item.module)
        return (EXTERNAL,) if found is None else tuple(Thing("module", place) for place in found)

    def _imported(self, path: str, item: Import, depth: int) -> Things:
        """What an import binds."""
        scope = self.scope(path)
        if not item.name and not item.alias and scope.rule.plain_import == "root":
            item = item._replace(module=item.module.split(".")[0])
        modules = self._modules(scope, item)
        if item.name in ("", "*"):
            return modules
        if EXTERNAL in modules:
            return (EXTERNAL,)
        found = self._all(self._exported(module, item.name, depth + 1) for module in modules)
        return found or self._below(scope, item)

    def _below(self, scope: FileScope, item: Import) -> Things:
        """`from package import module`: the name is a module of its own."""
        if scope.spec is None:
            return ()
        joint = "" if item.module.endswith(".") else scope.spec.separator
        found = self.modules.find(scope.spec, scope.path, f"{item.module}{joint}{item.name}")
        return tuple(Thing("module", place) for place in found or ())

    def _exported(self, module: Thing, name: str, depth: int) -> Things:
        """A name that a module offers: defined there, passed on, or a module below it."""
        return self._once(("exported", module, name), depth, lambda: self._offered(module, name, depth))

    def _offered(self, module: Thing, name: str, depth: int) -> Things:
        if not module.path.endswith("/") and module.path in self.modules.files:
            scope = self.scope(module.path)
            top = scope.children.get((-1, name))
            if top:
                return defs(scope.path, top)
            if name in scope.imports:
                return self._all(self._imported(scope.path, item, depth + 1) for item in scope.imports[name])
            bound = scope.bindings.get((-1, name))
            if bound:
                return self.values(scope.path, bound, depth + 1)
            if name == scope.rule.default_export:
                marked = [at for at, item in enumerate(scope.definitions) if "default " in item.signature[:16]]
                return defs(scope.path, marked[:1])
            for item in scope.stars:
                for other in self._modules(scope, item):
                    found = self._exported(other, name, depth + 1) if other.kind == "module" else ()
                    if found:
                        return found
            spec = scope.spec
        else:
            inside = next((path for path in self.modules.files if path.startswith(module.path)), None)
            spec = self.scope(inside).spec if inside else None
        below = self.modules.child(spec, module.path, name) if spec else []
        return tuple(Thing("module", place) for place in below)

    # -- bookkeeping -----------------------------------------------------------------------------------------------

    def _all(self, groups: Iterable[Things]) -> Things:
        return tuple(dict.fromkeys(thing for group in groups for thing in group))[:MAX_SEEN]

    def _once(self, key: tuple[object, ...], depth: int, make: Callable[[], Things]) -> Things:
        """Each question once; one that asks for itself on the way has no answer there."""
        known = self._memo.get(key)
        if known is not None:
            return known
        if key in self._busy or depth > MAX_DEPTH:
            self._cuts += 1
            return ()
        self._busy.add(key)
        cuts = self._cuts
        try:
            found = make()
        finally:
            self._busy.discard(key)
        # An answer that was cut short on the way may be fuller when asked from elsewhere.
        if cuts == self._cuts or not self._busy:
            self._memo[key] = found
        return found


def defs(path: str, positions: Iterable[int]) -> Things:
    return tuple(Thing("def", path, position) for position in positions)


def as_instance(thing: Thing) -> Thing:
    return Thing("instance", thing.path, thing.position) if thing.kind == "def" else thing


def _directory(path: str) -> str:
    return path.rpartition("/")[0]


def last_part(scope: str) -> str:
    return re.split(r"::|[.#/]", scope)[-1] if scope else ""
