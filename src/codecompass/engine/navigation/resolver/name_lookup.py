"""Name lookup: resolve a bare name outwards through functions, the file, its imports and modules."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator

from codecompass.engine.navigation.imports.module_index import ModuleIndex
from codecompass.engine.navigation.resolver.includes import Linkage
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, Entities, Entity
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.languages.extraction.name_chains import UNKNOWN
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.model.code.facts import Binding, Import

MAX_DEPTH = 16
"""Maximum number of steps in a chain of imports, aliases and results."""
MAX_ENTITIES = 40
NAMED_TYPES = frozenset({"class", "struct", "enum", "trait", "interface", "type", "impl"})

_OPEN_KINDS = frozenset({"mod", "rule"})
"""Kinds whose members are as visible as they are."""


class FileScopes:
    """The scopes of the files of a view, each made once.

    Not a method of the resolver: what it hands out would hold the resolver, which holds it, until the collector runs.
    """

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        self._view = view
        self._modules = modules
        self._known: dict[str, FileScope] = {}

    def get(self, path: str) -> FileScope:
        known = self._known.get(path)
        if known is None:
            facts = self._view.facts(path)
            blob, snapshot = self._view.entries[path].blob, self._view.snapshot
            known = self._known[path] = FileScope(
                path,
                facts,
                self._view.spec(facts.language),
                lambda: snapshot.references(blob),
                lambda: snapshot.bindings(blob),
                self._modules.get_tables(path),
            )
        return known


class NameLookup(ABC):
    """Resolves names in one view, for the duration of the call that pinned it; subclasses define members and values."""

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        self.view = view
        self.modules = modules
        self._scopes = FileScopes(view, modules)
        self.linkage = Linkage(view, modules, self._scopes.get)
        self._memo: dict[tuple[object, ...], Entities] = {}
        self._busy: set[tuple[object, ...]] = set()
        self._cuts = 0
        self.doubts = 0
        """Number of uncertain answers; only `certain_resolver.py` counts them."""

    def scope(self, path: str) -> FileScope:
        return self._scopes.get(path)

    @abstractmethod
    def find_self_type(self, path: str, owner: int) -> Entities:
        """Return the type that a definition belongs to."""

    @abstractmethod
    def member(self, entity: Entity, name: str, depth: int = 0) -> Entities:
        """Resolve `name` as a member of an entity."""

    @abstractmethod
    def values(self, path: str, bound: list[Binding], depth: int, place: int = -1) -> Entities:
        """Evaluate bindings; outside functions their texts are resolved in the scope `place`."""

    # -- names -----------------------------------------------------------------------------------------------------

    def resolve_name(self, path: str, owner: int, name: str, depth: int = 0) -> Entities:
        """Resolve a bare name in the scope of `owner`."""
        return self._memoize(("named", path, owner, name), depth, lambda: self._resolve_name(path, owner, name, depth))

    def _resolve_name(self, path: str, owner: int, name: str, depth: int) -> Entities:
        scope = self.scope(path)
        rule = scope.rule
        if name in rule.self_types:
            return self.find_self_type(path, owner)
        if rule.reach == "includes" and name in rule.builtins:
            return (EXTERNAL,)  # source broken by a macro may look like a definition of it
        held = self._find_enclosing(scope, owner, name)
        if held:
            return held
        if rule.reach == "file" and not rule.bare_members:
            # A local name is marked and never gets here, so the bindings need not be loaded.
            return self._resolve_in_file(scope, name, depth, owner)
        found = self._resolve_local(path, owner, name, depth)
        if found:
            return found
        if rule.bare_members or (rule.member_prefix and name.startswith(rule.member_prefix)):
            for entity in self.find_self_type(path, owner):
                found = tuple(item for item in self.member(entity, name, depth + 1) if item.kind != "external")
                if found and not (rule.reach == "includes" and self.linkage.is_constructor(found[0])):
                    return found
        if rule.reach == "includes":
            return self._resolve_included(scope, owner, name)
        return self._resolve_in_file(scope, name, depth, owner)

    def _find_enclosing(self, scope: FileScope, owner: int, name: str) -> Entities:
        """Find a name among the members of the enclosing definitions, innermost first."""
        path, rule = scope.path, scope.rule
        at, in_body = owner, rule.body_scope
        while at >= 0:
            item = scope.definitions[at]
            in_body = in_body and item.kind not in FUNCTIONS
            if item.name == name and item.kind in NAMED_TYPES and item.kind != "impl":
                return (Entity("def", path, at),)
            inside = scope.children.get((at, name))
            seen = item.kind in FUNCTIONS or item.kind == "mod" or rule.bare_members
            if inside and in_body and scope.definitions[owner].name == name:
                inside = [one for one in inside if one < owner]  # an initialiser sees earlier definitions only
            if inside and (seen or in_body):
                return to_defs(path, inside)
            in_body = in_body and item.kind not in NAMED_TYPES
            at = item.parent
        return ()

    def _resolve_in_file(self, scope: FileScope, name: str, depth: int, owner: int = -1) -> Entities:
        """Resolve a top-level name of a file: defined, imported, or visible from elsewhere."""
        top = scope.children.get((-1, name), [])
        if top and not scope.is_module_and_import(name):
            return to_defs(scope.path, top)
        if name in scope.imports:
            items = scope.select_nearest(scope.imports[name], owner)
            return self._merge(
                (to_defs(scope.path, top), *(self._resolve_import(scope.path, item, depth + 1) for item in items))
            )
        found = self._merge(
            self.member(module, name, depth + 1)
            for item in scope.star_imports
            for module in self._find_modules(scope, item)
            if module.kind in ("module", "def")
        )
        if found:
            return found
        found = self._resolve_visible(scope, name) or self._resolve_package(scope, name)
        if not found:
            found = (EXTERNAL,) if name in scope.rule.builtins else self._resolve_unimported(scope, name)
        if found:
            return found
        outside = any(
            module.kind == "external" for item in scope.star_imports for module in self._find_modules(scope, item)
        )
        return (EXTERNAL,) if scope.rule.reach == "file" and (outside or not scope.star_imports) else ()

    def _resolve_visible(self, scope: FileScope, name: str) -> Entities:
        """Find a name that is visible without an import: from the directory, the package, or the project."""
        reach = scope.rule.reach
        if reach == "file":
            return ()
        if reach == "directory":
            place = (scope.rule.imports, _directory(scope.path), scope.facts.package)
            return self._memoize(("reached", *place, name), 0, lambda: self._resolve_in_directory(*place, name))
        found = []
        for path, position in self.find_definitions(name):
            other = self.scope(path)
            if other.rule.imports != scope.rule.imports or other.definitions[position].kind == "use":
                continue
            if self._is_reachable(scope, other, position):
                found.append(Entity("def", path, position))
        return tuple(found[:MAX_ENTITIES])

    def find_definitions(self, name: str, directory: str | None = None) -> Iterator[tuple[str, int]]:
        """Yield (path, position) of the definitions of a name, in one directory or everywhere."""
        limit = MAX_ENTITIES * (50 if directory is None else 500)
        for row in self.view.snapshot.find_symbols(name.casefold(), prefix=False, limit=limit):
            if row.name == name:
                for path in self.view.paths.get(row.blob, ()):
                    if directory is None or _directory(path) == directory:
                        yield path, row.position

    def _resolve_in_directory(self, imports: str, directory: str, package: str, name: str) -> Entities:
        """Find a top-level name in a directory; without a package, prefer the package named like the directory."""
        found: dict[str, list[Entity]] = {}
        for path, position in self.find_definitions(name, directory):
            other = self.scope(path)
            item = other.definitions[position]
            if other.rule.imports == imports and item.parent < 0 and not item.scope:
                found.setdefault(other.facts.package, []).append(Entity("def", path, position))
        if package:
            return tuple(found.get(package, ()))
        return tuple(
            found.get(directory.rpartition("/")[2]) or [entity for group in found.values() for entity in group]
        )

    def _resolve_package(self, scope: FileScope, name: str) -> Entities:
        """Find an imported module by the name in its package clause."""
        if scope.rule.plain_import != "package":
            return ()
        found = []
        for item in scope.facts.imports:
            for module in () if item.alias else self._find_modules(scope, item):
                inside = self.modules.by_directory.get(module.path[:-1], ()) if module.kind == "module" else ()
                own = next((path for path in inside if self.scope(path).rule.imports == scope.rule.imports), None)
                if own is not None and self.scope(own).facts.package == name:
                    found.append(module)
        return tuple(found)

    def _resolve_unimported(self, scope: FileScope, name: str) -> Entities:
        """Resolve a name that nothing visible to the file explains."""
        return ()

    def _is_reachable(self, scope: FileScope, other: FileScope, position: int) -> bool:
        item = other.definitions[position]
        if scope.rule.reach == "package":
            return item.parent < 0 and not item.scope and scope.facts.package == other.facts.package
        return item.kind in NAMED_TYPES or item.parent < 0 or other.definitions[item.parent].kind in _OPEN_KINDS

    def _resolve_local(self, path: str, owner: int, name: str, depth: int, at: int = 0) -> Entities:
        """Evaluate a local variable; `at` is twice the line, plus one for a position after its binding."""
        scope = self.scope(path)
        functions = scope.list_functions(owner)
        for function in (*functions, -1) if scope.rule.file_variables or not functions else functions:
            bound = scope.bindings.get((function, name))
            # Top-level definitions of the file are found as definitions.
            if bound and (function >= 0 or (-1, name) not in scope.children):
                held = _select_active(bound, at) if at else bound
                if held or function < 0:
                    return self.values(path, held, depth + 1)
                # Not bound yet: in its own initialiser a name refers to an outer scope.
                return self.resolve_name(path, scope.definitions[function].parent, name, depth + 1)
        return ()

    def _resolve_included(self, scope: FileScope, owner: int, name: str) -> Entities:
        """Resolve a name in the file and everything it includes."""
        for item in scope.imports.get(name, ()):
            found = self.linkage.resolve_name(scope.path, [item.module], item.name)
            if found != (EXTERNAL,):
                return found
        return self.linkage.resolve_name(scope.path, self.linkage.list_namespaces(scope.path, owner), name, bare=True)

    def filter_types(self, path: str, entities: Entities, *, types: bool) -> Entities:
        """Where a name may mean a type and something else, keep what the context requires."""
        return (
            self.linkage.filter_types(entities, types=types) if self.scope(path).rule.reach == "includes" else entities
        )

    def to_namespaces(self, path: str, entities: Entities) -> Entities:
        """Replace namespace blocks by the namespace as the file sees it."""
        if self.scope(path).rule.reach != "includes":
            return entities
        return tuple(dict.fromkeys(self.linkage.to_namespace(path, entity) for entity in entities))

    # -- imports and modules ---------------------------------------------------------------------------------------

    def _find_modules(self, scope: FileScope, item: Import) -> Entities:
        if scope.spec is None:
            return ()
        found = self.modules.find(scope.spec, scope.path, item.module)
        return (EXTERNAL,) if found is None else tuple(Entity("module", place) for place in found)

    def find_import_sources(self, scope: FileScope, item: Import) -> Entities:
        """Return the modules that an import takes its names from."""
        return self._find_modules(scope, item)

    def _find_files(self, scope: FileScope, module: str) -> list[str]:
        found = self.modules.find(scope.spec, scope.path, module) if scope.spec else None
        return [place for place in found or () if place in self.view.entries and self.view.entries[place].blob]

    def _resolve_import(self, path: str, item: Import, depth: int) -> Entities:
        """Resolve an import to what it binds."""
        scope = self.scope(path)
        if scope.rule.reach == "includes":
            return self.linkage.resolve_name(path, [item.module], item.name) if item.name else ()
        if not item.name and not item.alias and scope.rule.plain_import == "root":
            item = item._replace(module=item.module.split(".")[0])
        modules = self._find_modules(scope, item)
        if item.name in ("", "*"):
            return self._merge(self._evaluate_module(module, depth) for module in modules)
        if EXTERNAL in modules:
            return (EXTERNAL,)
        found = self._merge(self.member(module, item.name, depth + 1) for module in modules)
        if not found and scope.rule.module_value:
            given = self._merge(self._evaluate_module(module, depth) for module in modules)
            found = self._merge(self.member(entity, item.name, depth + 1) for entity in given)
        return found or self._find_submodule(scope, item)

    def _evaluate_module(self, module: Entity, depth: int) -> Entities:
        """Return the value that a module exports as a whole, or the module itself if there is none."""
        if module.kind != "module" or module.path not in self.modules.files:
            return (module,)
        scope = self.scope(module.path)
        bound = scope.bindings.get((-1, scope.rule.module_value)) if scope.rule.module_value else None
        values = self.values(scope.path, bound, depth + 1) if bound else ()
        # Members defined beside the value are found in the file.
        return (*values, module) if values else (module,)

    def _find_submodule(self, scope: FileScope, item: Import) -> Entities:
        """Resolve `from package import module`, where the name is a submodule."""
        if scope.spec is None or scope.rule.module_words:
            return ()
        joint = "" if item.module.endswith(".") else scope.spec.separator
        found = self.modules.find(scope.spec, scope.path, f"{item.module}{joint}{item.name}")
        return tuple(Entity("module", place) for place in found or ())

    def _resolve_export(self, module: Entity, name: str, depth: int) -> Entities:
        """Resolve a name exported by a module: defined there, re-exported, or a submodule."""
        return self._memoize(("exported", module, name), depth, lambda: self._compute_export(module, name, depth))

    def _compute_export(self, module: Entity, name: str, depth: int) -> Entities:
        if not module.path.endswith("/") and module.path in self.modules.files:
            scope = self.scope(module.path)
            top = scope.children.get((-1, name), [])
            if top and not scope.is_module_and_import(name):
                return to_defs(scope.path, top)
            if name in scope.imports:
                items = scope.select_nearest(scope.imports[name], -1)
                imported = (self._resolve_import(scope.path, item, depth + 1) for item in items)
                return self._merge((to_defs(scope.path, top), *imported))
            bound = scope.bindings.get((-1, name))
            if bound:
                return self.values(scope.path, bound, depth + 1)
            if name == scope.rule.default_export:
                marked = [at for at, item in enumerate(scope.definitions) if "default " in item.signature[:16]]
                return to_defs(scope.path, marked[:1])
            for item in scope.star_imports:
                for other in self._find_modules(scope, item):
                    found = self.member(other, name, depth + 1) if other.kind in ("module", "def") else ()
                    if found:
                        return found
            spec = scope.spec
        else:
            around = self.modules.by_directory.get(module.path[:-1], ())
            inside = next((path for path in around if self.scope(path).rule.reach == "directory"), None)
            if inside is not None:
                return self._resolve_in_directory(self.scope(inside).rule.imports, module.path[:-1], "", name)
            inside = next((path for path in self.modules.files if path.startswith(module.path)), None)
            spec = self.scope(inside).spec if inside else None
        below = self.modules.find_child(spec, module.path, name) if spec else []
        return tuple(Entity("module", place) for place in below)

    # -- bookkeeping -----------------------------------------------------------------------------------------------

    def _merge(self, groups: Iterable[Entities]) -> Entities:
        return tuple(dict.fromkeys(entity for group in groups for entity in group))[:MAX_ENTITIES]

    def _memoize(self, key: tuple[object, ...], depth: int, make: Callable[[], Entities]) -> Entities:
        """Compute each key once; a recursive request for the same key returns nothing."""
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
        # An answer cut short by recursion may be more complete when requested from elsewhere, so do not cache it.
        if cuts == self._cuts or not self._busy:
            self._memo[key] = found
        return found


def _select_active(bound: list[Binding], at: int) -> list[Binding]:
    """Return the bindings in effect at a position; block-scoped ones only if they are the latest before it."""
    open_ended = [item for item in bound if not item.until]
    if len(open_ended) == len(bound):
        return bound
    ends = [(2 * item.line + (item.how != "type" and item.text != UNKNOWN), item) for item in bound]
    held = [(since, item) for since, item in ends if since < at and (not item.until or at <= 2 * item.until + 1)]
    held = held or [(since, item) for since, item in ends if since == at]
    latest = max((since for since, _ in held), default=0)
    return [item for since, item in held if since == latest] or open_ended


def to_defs(path: str, positions: Iterable[int]) -> Entities:
    return tuple(Entity("def", path, position) for position in positions)


def to_instance(entity: Entity) -> Entity:
    return Entity("instance", entity.path, entity.position) if entity.kind == "def" else entity


def _directory(path: str) -> str:
    return path.rpartition("/")[0]
