"""Namespaces: resolve names through the namespaces that files declare, independent of their directories.

A namespace is an Entity of kind `module` with its name as text and the requesting file as path: of several definitions
with one full name, the one closest to that file is meant. Whether a namespace belongs to the repository is known only
when something is found in it.
"""

from abc import abstractmethod

from codecompass.engine.navigation.imports.module_index import ModuleIndex
from codecompass.engine.navigation.resolver.module_paths import ModulePathLookup
from codecompass.engine.navigation.resolver.name_lookup import MAX_ENTITIES, NAMED_TYPES, to_defs
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, Entities, Entity
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.model.code.facts import Import

_NAMESPACE_KINDS = NAMED_TYPES | {"mod"}
_OUTER_KINDS = _NAMESPACE_KINDS | {"const"}
"""Kinds visible in nested types, where methods are looked up in the innermost type only."""
_OWN_NAMESPACE = "namespace"
"""First segment of a path that starts in the current namespace, regardless of imports."""
MAX_ROWS = 4_000
ROOT = "\\"
"""The text of the global namespace."""


class NamespaceLookup(ModulePathLookup):
    """Adds namespace rules to the lookup; no effect on languages without namespaces."""

    def __init__(self, view: PinnedView, modules: ModuleIndex) -> None:
        super().__init__(view, modules)
        self._tables: dict[tuple[str, str, bool], dict[str, list[Entity]]] = {}

    @abstractmethod
    def find_receiver(self, path: str, owner: int, until: int) -> Entities:
        """Return the receiver of the function around a definition."""

    @abstractmethod
    def find_bound_member(self, entity: Entity, name: str, depth: int) -> Entities:
        """Return values assigned to a member that has no definition."""

    # -- full names ------------------------------------------------------------------------------------------------

    def get_namespace(self, path: str, position: int) -> str:
        """Return the dotted full name of the container of a definition."""
        scope = self.scope(path)
        inside = to_dotted(scope.definitions[position].scope)
        return ".".join(part for part in (to_dotted(scope.facts.package), inside) if part)

    def get_full_name(self, path: str, position: int) -> str:
        space, item = self.get_namespace(path, position), self.scope(path).definitions[position]
        name = to_dotted(item.name) if item.kind == "mod" else item.name
        return f"{space}.{name}" if space else name

    def find_declared(self, family: str, space: str, name: str) -> list[Entity]:
        """Return the definitions of a name in a namespace or type, for one language family."""
        return self._load_table(family, name).get(space, [])

    def _load_table(self, family: str, name: str, *, blocks: bool = False) -> dict[str, list[Entity]]:
        """Map container full names to definitions of a name, or to the impl blocks for types of that name."""
        known = self._tables.get((family, name, blocks))
        if known is None:
            known = self._tables[family, name, blocks] = {}
            for row in self.view.snapshot.find_symbols(name.casefold(), prefix=False, limit=MAX_ROWS):
                if row.name != name or row.kind == "use" or (row.kind == "impl") != blocks:
                    continue
                for path in self.view.paths.get(row.blob, ()):
                    if self.scope(path).rule.imports == family:
                        entity = Entity("def", path, row.position)
                        known.setdefault(self.get_namespace(path, row.position), []).append(entity)
        return known

    def _find_closest(self, path: str, space: str, name: str) -> Entities:
        """Return the definitions of a full name that are closest to a file, with their other parts."""
        declared = self.find_declared(self.scope(path).rule.imports, space, name)
        entities = select_closest(path, [one for one in declared if self.is_visible(path, one)])
        return self._merge(self.parts(entity) for entity in entities)

    def is_visible(self, path: str, entity: Entity) -> bool:
        """Return whether a definition is visible to a file; top-level private definitions are file-local."""
        item = self.scope(entity.path).definitions[entity.position]
        return entity.path == path or item.parent >= 0 or item.visibility != "private"

    def find_block_type(self, path: str, position: int) -> Entities:
        """Return the type that an impl block is for."""
        name = self.scope(path).definitions[position].name
        own = self.scope(path).children.get((self.scope(path).definitions[position].parent, name))
        found = to_defs(path, own) if own else self._find_closest(path, self.get_namespace(path, position), name)
        return found or (EXTERNAL._replace(text=name),)

    def parts(self, entity: Entity) -> Entities:
        """Return a type with its other parts, in languages with partial types."""
        scope = self.scope(entity.path)
        if not self.is_open(entity):
            return (entity,)
        kind = scope.definitions[entity.position].kind
        name = scope.definitions[entity.position].name
        others = self.find_declared(scope.rule.imports, self.get_namespace(entity.path, entity.position), name)
        same = (
            Entity(entity.kind, one.path, one.position)
            for one in others
            if self.is_open(one) and self.scope(one.path).definitions[one.position].kind == kind
        )
        return tuple(dict.fromkeys((entity, *same)))[:MAX_ENTITIES]

    def is_open(self, entity: Entity) -> bool:
        scope = self.scope(entity.path)
        rule, item = scope.rule, scope.definitions[entity.position]
        if not rule.namespaces or not rule.open_types or rule.blocks or item.kind not in _NAMESPACE_KINDS:
            return False
        return item.kind == "mod" or not rule.open_word or rule.open_word in item.signature.split()

    def is_type_or_namespace(self, entity: Entity) -> bool:
        """Return whether an entity is a type or a namespace."""
        return entity.kind == "def" and self.scope(entity.path).definitions[entity.position].kind in _NAMESPACE_KINDS

    # -- names -----------------------------------------------------------------------------------------------------

    def _resolve_name(self, path: str, owner: int, name: str, depth: int) -> Entities:
        scope = self.scope(path)
        if not scope.rule.namespaces:
            return super()._resolve_name(path, owner, name, depth)
        return self._resolve_outward(scope, owner, name, depth, types=False)

    def resolve_type(self, path: str, owner: int, name: str, depth: int) -> Entities:
        """Resolve a bare name in a type position, where members of the same name do not hide the type."""
        scope = self.scope(path)
        if not scope.rule.namespaces:
            return self.resolve_name(path, owner, name, depth)
        key = ("type_named", path, owner, name)
        found = self._memoize(key, depth, lambda: self._resolve_outward(scope, owner, name, depth, types=True))
        return found if any(entity.kind == "def" for entity in found) else self.resolve_name(path, owner, name, depth)

    def _resolve_outward(self, scope: FileScope, owner: int, name: str, depth: int, *, types: bool) -> Entities:
        """Resolve outwards: functions, types with inherited members, then namespaces."""
        path = scope.path
        if name in scope.rule.self_types:
            return self.find_self_type(path, owner)
        if scope.spec is not None and (joint := scope.spec.space_joint) and joint in name:
            return self._resolve_qualified(scope, owner, name, joint)
        if (mark := scope.rule.variable_mark) and name.startswith(mark):
            return self._resolve_variable(scope, owner, name, depth)
        innermost, unclear = True, False
        at = owner
        while at >= 0:
            item = scope.definitions[at]
            if scope.has_members(at):
                found: Entities = ()
                if scope.rule.bare_members:
                    found = self._resolve_in_type(Entity("def", path, at), name, depth, innermost=innermost)
                innermost = False
            else:
                found = to_defs(path, scope.children.get((at, name), ()))
                bound = scope.bindings.get((at, name)) if item.kind in FUNCTIONS and not found and not types else None
                found = self.values(path, bound, depth + 1) if bound else found
                if scope.rule.receivers and not found and item.kind in FUNCTIONS:
                    called_on = self.find_receiver(path, at, at - 1)
                    found = self._merge(
                        self.member(one, name, depth + 1) for one in called_on if one.kind == "instance"
                    )
                    found = tuple(one for one in found if one.kind == "def")
                # A method inside a function or variable belongs to an anonymous type, whose members are unknown.
                unclear = unclear or (item.kind == "method" and not scope.has_members(item.parent))
            if found and (not types or any(self.is_type_or_namespace(one) for one in found)):
                return found
            at = item.parent
        found = self._resolve_in_namespaces(scope, owner, name, depth)
        # By convention a capitalised name is a type, and types are rarely inherited from outside.
        return found or (() if unclear and not name[:1].isupper() else self._resolve_unknown(scope, name))

    def _resolve_in_type(self, entity: Entity, name: str, depth: int, *, innermost: bool) -> Entities:
        """Resolve a bare name inside a type: the type itself, its members and inherited members."""
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind == "impl":
            return self._resolve_in_block(entity, name, depth)
        if item.name == name:
            return self.parts(entity)
        if not innermost and not scope.rule.outer_members:
            held = self.find_declared(scope.rule.imports, self.get_full_name(entity.path, entity.position), name)
            return tuple(one for one in held if self.scope(one.path).definitions[one.position].kind in _OUTER_KINDS)
        found = self.member(Entity("instance", entity.path, entity.position), name, depth + 1)
        known = tuple(one for one in found if one.kind == "def" and not self._is_constructor(one))
        return known or (self.find_bound_member(entity, name, depth + 1) if innermost else ())

    def _resolve_in_block(self, block: Entity, name: str, depth: int) -> Entities:
        """Resolve a bare name inside an impl block: the type, its members and inherited members."""
        for entity in self.find_block_type(block.path, block.position):
            if entity.kind == "def":
                return self._resolve_in_type(entity, name, depth, innermost=True)
        if self.scope(block.path).definitions[block.position].name == name:
            return (EXTERNAL,)
        around = self.get_full_name(block.path, block.position)
        return tuple(self.find_declared(self.scope(block.path).rule.imports, around, name))

    def _is_constructor(self, entity: Entity) -> bool:
        """Return whether a method is a constructor; its bare name means the type."""
        scope = self.scope(entity.path)
        item, home = scope.definitions[entity.position], scope.find_container(entity.position)
        return item.kind in FUNCTIONS and home >= 0 and scope.definitions[home].name == item.name

    def _resolve_in_namespaces(self, scope: FileScope, owner: int, name: str, depth: int) -> Entities:
        """Resolve a name outside all containers: imported, in an enclosing namespace, or star-imported."""
        top = scope.children.get((-1, name))
        if top:
            return self._merge(self.parts(entity) for entity in to_defs(scope.path, top))
        if name in scope.imports:
            return self._merge(self._resolve_import(scope.path, item, depth + 1) for item in scope.imports[name])
        spaces = self.list_namespaces(scope, owner)
        for space in spaces[:1] if scope.spec and scope.spec.space_joint else spaces:
            found = self._find_closest(scope.path, space, name)
            if scope.rule.reach == "project" and any(self.is_function(one) for one in found):
                found = self._filter_loaded(scope, found)
            if found:
                return found
        if scope.rule.root_functions:
            return tuple(one for one in self._find_closest(scope.path, "", name) if not self.is_type_or_namespace(one))
        return self._merge(
            tuple(one for one in self._resolve_export(module, name, depth + 1) if one.kind == "def")
            for module in self.find_star_modules(scope)
        )

    def _filter_loaded(self, scope: FileScope, entities: Entities) -> Entities:
        """Keep entities of files that this file loads; a top-level function exists only once its file is loaded."""
        if scope.spec is None:
            return ()
        modules = {item.module for item in scope.facts.imports}
        places = {place for module in modules for place in self.modules.find(scope.spec, scope.path, module) or ()}
        return tuple(entity for entity in entities if entity.path in places)

    def _resolve_unknown(self, scope: FileScope, name: str) -> Entities:
        """Classify a name found nowhere: external, unless the language hides where names come from and it exists."""
        if name in scope.rule.implicit_names:
            return ()
        return () if scope.rule.reach == "project" and self._load_table(scope.rule.imports, name) else (EXTERNAL,)

    def list_namespaces(self, scope: FileScope, owner: int) -> list[str]:
        """List the namespaces around a definition, innermost first."""
        found = [to_dotted(scope.facts.package)]
        at = owner
        while at >= 0:
            if scope.definitions[at].kind == "mod" and not scope.has_members(at):
                found.insert(-1, self.get_full_name(scope.path, at))
            at = scope.definitions[at].parent
        if scope.rule.outer_namespaces:
            for space in tuple(found):
                while space:
                    space = space.rpartition(".")[0]
                    found.append(space)
        return list(dict.fromkeys(found))

    def resolve_head(self, path: str, owner: int, name: str, depth: int) -> Entities:
        """Resolve the first name of a dotted chain; an unknown name may start a namespace."""
        found = self.resolve_name(path, owner, name, depth)
        scope = self.scope(path)
        if found != (EXTERNAL,) or not scope.rule.namespaces or name in scope.imports:
            return found
        if scope.spec is not None and scope.spec.space_joint:
            return found  # there a path is one token
        around = self.list_namespaces(scope, owner) if scope.rule.outer_namespaces else [""]
        return tuple(Entity("module", path, -1, f"{space}.{name}".strip(".")) for space in around) or found

    def _resolve_qualified(self, scope: FileScope, owner: int, name: str, joint: str) -> Entities:
        """Resolve a qualified name; with nothing after the last separator it is the namespace itself."""
        above, _, last = name.rpartition(joint)
        head, _, rest = above.partition(joint)
        if name.startswith(joint):
            space = to_dotted(above)
        elif head in scope.imports:
            item = scope.imports[head][0]
            space = to_dotted(joint.join(part for part in (item.module, item.name, rest) if part))
        else:
            own = rest if head == _OWN_NAMESPACE else above
            space = ".".join(part for part in (self.list_namespaces(scope, owner)[0], to_dotted(own)) if part)
        if not last:
            return (Entity("module", scope.path, -1, space or ROOT),)
        return self._find_closest(scope.path, space, last) or (EXTERNAL,)

    def _resolve_variable(self, scope: FileScope, owner: int, name: str, depth: int) -> Entities:
        """Resolve a variable of the enclosing functions or of the file."""
        for function in scope.list_functions(owner):
            bound = scope.bindings.get((function, name))
            if bound:
                return self.values(scope.path, bound, depth + 1)
        found = to_defs(scope.path, scope.children.get((-1, name), ()))
        return found or ((EXTERNAL,) if name in scope.rule.builtins else ())

    # -- imports ---------------------------------------------------------------------------------------------------

    def _find_modules(self, scope: FileScope, item: Import) -> Entities:
        if not scope.rule.namespaces:
            return super()._find_modules(scope, item)
        text = to_dotted(item.module).removeprefix("global.")
        if scope.rule.inner_word:
            text = text.removesuffix("." + scope.rule.inner_word)
        if item.name and scope.spec is not None and scope.spec.space_joint:
            return (Entity("module", scope.path, -1, text),)  # such languages have no nested types
        above, _, last = text.rpartition(".")
        types = tuple(
            one
            for one in self._find_closest(scope.path, above, last)
            if self.scope(one.path).definitions[one.position].kind in NAMED_TYPES
        )
        return types or (Entity("module", scope.path, -1, text),)

    def find_star_modules(self, scope: FileScope) -> Entities:
        """Return the modules that a file star-imports, itself or through its project."""
        key = ("stars", scope.path)
        return self._memoize(
            key, 0, lambda: self._merge(self._find_modules(scope, item) for item in self._list_star_imports(scope))
        )

    def _list_star_imports(self, scope: FileScope) -> list[Import]:
        word, shared = scope.rule.shared_import, []
        if word:
            shared = [Import(text, "*", "", 0) for text in self.modules.dotnet_projects.list_imports(scope.path)]
            for blob, _ in self.view.snapshot.mentions(word):
                for path in self.view.paths.get(blob, ()):
                    if self.modules.dotnet_projects.is_same_project(path, scope.path):
                        shared += [item for item in self.scope(path).facts.imports if item.name == word]
        return [*scope.star_imports, *shared]

    def _resolve_import(self, path: str, item: Import, depth: int) -> Entities:
        scope = self.scope(path)
        if not scope.rule.namespaces:
            return super()._resolve_import(path, item, depth)
        modules = self._find_modules(scope, item)
        if item.name in ("", "*", scope.rule.shared_import):
            return modules
        found = self._merge(self._resolve_export(module, item.name, depth + 1) for module in modules)
        return tuple(one for one in found if one.kind == "def") or (EXTERNAL,)

    def _compute_export(self, module: Entity, name: str, depth: int) -> Entities:
        if module.kind != "module":
            return self.member(module, name, depth + 1)
        if not module.text:
            return super()._compute_export(module, name, depth)
        if module.text == ROOT:
            return self._find_closest(module.path, "", name) or (EXTERNAL,)
        return self._find_closest(module.path, module.text, name) or (module._replace(text=f"{module.text}.{name}"),)

    # -- functions -------------------------------------------------------------------------------------------------

    def is_function(self, entity: Entity) -> bool:
        return entity.kind == "def" and self.scope(entity.path).definitions[entity.position].kind in ("fn", "method")


def to_dotted(text: str) -> str:
    """Convert a namespace name to dots, whatever separator its language uses."""
    return text.replace("::", ".").replace("\\", ".").strip(".")


def select_closest(path: str, entities: list[Entity]) -> Entities:
    """Return the entities whose files are the fewest directories away from a path."""
    if len(entities) < 2:
        return tuple(entities)
    mine = path.split("/")[:-1]

    def distance(other: str) -> int:
        theirs = other.split("/")[:-1]
        shared = next((at for at, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two), None)
        shared = min(len(mine), len(theirs)) if shared is None else shared
        return len(mine) + len(theirs) - 2 * shared

    away = {entity.path: distance(entity.path) for entity in entities}
    least = min(away.values())
    return tuple(entity for entity in entities if away[entity.path] == least)
