"""Name lookup: resolve a bare name outwards through functions, the file, its imports and modules."""

from codecompass.engine.navigation.resolver.context import LaterParts, LookupContext
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex, get_directory
from codecompass.engine.navigation.resolver.import_lookup import ImportLookup
from codecompass.engine.navigation.resolver.module_paths import ModulePaths
from codecompass.engine.navigation.resolver.namespaces import NamespaceLookup
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import (
    EXTERNAL,
    MAX_ENTITIES,
    NAMED_TYPES,
    Entities,
    Entity,
    merge,
    to_defs,
)
from codecompass.languages.extraction.name_chains import UNKNOWN
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.model.code.facts import Binding

_OPEN_KINDS = frozenset({"mod", "rule"})
"""Kinds whose members are as visible as they are."""


class NameLookup:
    """Resolves bare names in the scope where they are mentioned."""

    def __init__(
        self,
        context: LookupContext,
        later: LaterParts,
        definitions: DefinitionIndex,
        paths: ModulePaths,
        imports: ImportLookup,
        namespaces: NamespaceLookup,
    ) -> None:
        self._modules = context.modules
        self._linkage = context.linkage
        self._memo = context.memo
        self._doubts = context.doubts
        self._scope = context.scopes.get
        self._later = later
        self._definitions = definitions
        self._paths = paths
        self._imports = imports
        self._namespaces = namespaces

    # -- names ---------------------------------------------------------------------------------------------------------

    def resolve_name(self, path: str, owner: int, name: str, depth: int = 0) -> Entities:
        """Resolve a bare name in the scope of `owner`."""
        return self._memo.compute(
            ("named", path, owner, name), depth, lambda: self._resolve_name(path, owner, name, depth)
        )

    def _resolve_name(self, path: str, owner: int, name: str, depth: int) -> Entities:
        scope = self._scope(path)
        if scope.rule.namespaces:
            return self._namespaces.resolve_outward(scope, owner, name, depth, types=False)
        if name in scope.rule.module_words:
            return self._paths.resolve_path(scope, [name], scope.definitions[owner].line_end if owner >= 0 else 0)
        return self._resolve_plain(scope, owner, name, depth)

    def resolve_type(self, path: str, owner: int, name: str, depth: int) -> Entities:
        """Resolve a bare name in a type position, where members of the same name do not hide the type."""
        scope = self._scope(path)
        if not scope.rule.namespaces:
            return self.resolve_name(path, owner, name, depth)
        key = ("type_named", path, owner, name)
        found = self._memo.compute(
            key, depth, lambda: self._namespaces.resolve_outward(scope, owner, name, depth, types=True)
        )
        return found if any(entity.kind == "def" for entity in found) else self.resolve_name(path, owner, name, depth)

    def resolve_head(self, path: str, owner: int, name: str, depth: int) -> Entities:
        """Resolve the first name of a dotted chain; an unknown name may start a namespace."""
        found = self.resolve_name(path, owner, name, depth)
        scope = self._scope(path)
        if found != (EXTERNAL,) or not scope.rule.namespaces or name in scope.imports:
            return found
        if scope.spec is not None and scope.spec.space_joint:
            return found  # there a path is one token
        around = self._namespaces.list_namespaces(scope, owner) if scope.rule.outer_namespaces else [""]
        return tuple(Entity("module", path, -1, f"{space}.{name}".strip(".")) for space in around) or found

    def _resolve_plain(self, scope: FileScope, owner: int, name: str, depth: int) -> Entities:
        """Resolve outwards: enclosing definitions, local variables, members of the own type, the file."""
        path, rule = scope.path, scope.rule
        if name in rule.self_types:
            return self._later.members.find_self_type(path, owner)
        if rule.reach == "includes" and name in rule.builtins:
            return (EXTERNAL,)  # source broken by a macro may look like a definition of it
        held = self._find_enclosing(scope, owner, name)
        if held:
            return held
        if rule.reach == "file" and not rule.bare_members:
            # A local name is marked and never gets here, so the bindings need not be loaded.
            return self._resolve_in_file(scope, name, depth, owner)
        found = self.resolve_local(path, owner, name, depth)
        if found:
            return found
        if rule.bare_members or (rule.member_prefix and name.startswith(rule.member_prefix)):
            for entity in self._later.members.find_self_type(path, owner):
                found = tuple(
                    item for item in self._later.members.member(entity, name, depth + 1) if item.kind != "external"
                )
                if found and not (rule.reach == "includes" and self._linkage.is_constructor(found[0])):
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

    def resolve_local(self, path: str, owner: int, name: str, depth: int, at: int = 0) -> Entities:
        """Evaluate a local variable; `at` is twice the line, plus one for a position after its binding."""
        scope = self._scope(path)
        functions = scope.list_functions(owner)
        for function in (*functions, -1) if scope.rule.file_variables or not functions else functions:
            bound = scope.bindings.get((function, name))
            # Top-level definitions of the file are found as definitions.
            if bound and (function >= 0 or (-1, name) not in scope.children):
                held = _select_active(bound, at) if at else bound
                if held or function < 0:
                    return self._later.values.values(path, held, depth + 1)
                # Not bound yet: in its own initialiser a name refers to an outer scope.
                return self.resolve_name(path, scope.definitions[function].parent, name, depth + 1)
        return ()

    # -- files ---------------------------------------------------------------------------------------------------------

    def _resolve_in_file(self, scope: FileScope, name: str, depth: int, owner: int = -1) -> Entities:
        """Resolve a top-level name of a file: defined, imported, or visible from elsewhere."""
        top = scope.children.get((-1, name), [])
        if top and not scope.is_module_and_import(name):
            return to_defs(scope.path, top)
        if name in scope.imports:
            items = scope.select_nearest(scope.imports[name], owner)
            return merge(
                (
                    to_defs(scope.path, top),
                    *(self._imports.resolve_import(scope.path, item, depth + 1) for item in items),
                )
            )
        found = merge(
            self._later.members.member(module, name, depth + 1)
            for item in scope.star_imports
            for module in self._imports.find_modules(scope, item)
            if module.kind in ("module", "def")
        )
        if found:
            return found
        found = self._resolve_visible(scope, name) or self._resolve_package(scope, name)
        if not found:
            found = (EXTERNAL,) if name in scope.rule.builtins else self._paths.find_unimported(scope, name)
        if found:
            return found
        outside = any(
            module.kind == "external"
            for item in scope.star_imports
            for module in self._imports.find_modules(scope, item)
        )
        return (EXTERNAL,) if scope.rule.reach == "file" and (outside or not scope.star_imports) else ()

    def _resolve_visible(self, scope: FileScope, name: str) -> Entities:
        """Find a name that is visible without an import: from the directory, the package, or the project."""
        reach = scope.rule.reach
        if reach == "file":
            return ()
        if reach == "directory":
            place = (scope.rule.imports, get_directory(scope.path), scope.facts.package)
            return self._memo.compute(
                ("reached", *place, name), 0, lambda: self._definitions.find_in_directory(*place, name)
            )
        found = []
        for path, position in self._definitions.find_definitions(name):
            other = self._scope(path)
            if other.rule.imports != scope.rule.imports or other.definitions[position].kind == "use":
                continue
            if self._is_reachable(scope, other, position):
                found.append(Entity("def", path, position))
        return tuple(found[:MAX_ENTITIES])

    def _is_reachable(self, scope: FileScope, other: FileScope, position: int) -> bool:
        item = other.definitions[position]
        if scope.rule.reach == "package":
            return item.parent < 0 and not item.scope and scope.facts.package == other.facts.package
        return item.kind in NAMED_TYPES or item.parent < 0 or other.definitions[item.parent].kind in _OPEN_KINDS

    def _resolve_package(self, scope: FileScope, name: str) -> Entities:
        """Find an imported module by the name in its package clause."""
        if scope.rule.plain_import != "package":
            return ()
        found = []
        for item in scope.facts.imports:
            for module in () if item.alias else self._imports.find_modules(scope, item):
                inside = self._modules.by_directory.get(module.path[:-1], ()) if module.kind == "module" else ()
                own = next((path for path in inside if self._scope(path).rule.imports == scope.rule.imports), None)
                if own is not None and self._scope(own).facts.package == name:
                    found.append(module)
        return tuple(found)

    def _resolve_included(self, scope: FileScope, owner: int, name: str) -> Entities:
        """Resolve a name in the file and everything it includes."""
        for item in scope.imports.get(name, ()):
            found = self._linkage.resolve_name(scope.path, [item.module], item.name)
            if found != (EXTERNAL,):
                return found
        return self._linkage.resolve_name(scope.path, self._linkage.list_namespaces(scope.path, owner), name, bare=True)


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
