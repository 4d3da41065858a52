"""Import lookup: the modules that imports refer to, what imports bind, and what modules export."""

from codecompass.engine.navigation.resolver.context import LaterParts, LookupContext
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex, to_dotted
from codecompass.engine.navigation.resolver.module_paths import ModulePaths
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, NAMED_TYPES, Entities, Entity, merge, to_defs
from codecompass.model.code.facts import Import

GLOBAL_NAMESPACE = "\\"
"""The text of the global namespace."""


class ImportLookup:
    """Resolves imports to modules and definitions, and names to what a module exports.

    A namespace is an Entity of kind `module` with its name as text and the requesting file as path: of several
    definitions with one full name, the one closest to that file is meant. Whether a namespace belongs to the repository
    is known only when something is found in it.
    """

    def __init__(
        self, context: LookupContext, later: LaterParts, definitions: DefinitionIndex, paths: ModulePaths
    ) -> None:
        self._view = context.view
        self._modules = context.modules
        self._linkage = context.linkage
        self._memo = context.memo
        self._doubts = context.doubts
        self._scope = context.scopes.get
        self._later = later
        self._definitions = definitions
        self._paths = paths

    # -- the modules of an import ----------------------------------------------------------------------------------

    def find_modules(self, scope: FileScope, item: Import) -> Entities:
        """Return the modules that an import takes its names from."""
        if scope.rule.namespaces:
            return self._find_namespaces(scope, item)
        if scope.spec is None:
            return ()
        if scope.rule.module_words:
            return self._paths.find_modules(scope, item, scope.spec.separator)
        found = self._modules.find(scope.spec, scope.path, item.module)
        return (EXTERNAL,) if found is None else tuple(Entity("module", place) for place in found)

    def _find_namespaces(self, scope: FileScope, item: Import) -> Entities:
        """Return the types or the namespace that an import refers to."""
        text = to_dotted(item.module).removeprefix("global.")
        if scope.rule.inner_word:
            text = text.removesuffix("." + scope.rule.inner_word)
        if item.name and scope.spec is not None and scope.spec.space_joint:
            return (Entity("module", scope.path, -1, text),)  # such languages have no nested types
        above, _, last = text.rpartition(".")
        types = tuple(
            one
            for one in self._definitions.find_closest(scope.path, above, last)
            if self._scope(one.path).definitions[one.position].kind in NAMED_TYPES
        )
        return types or (Entity("module", scope.path, -1, text),)

    def find_star_modules(self, scope: FileScope) -> Entities:
        """Return the modules that a file star-imports, itself or through its project."""
        key = ("stars", scope.path)
        return self._memo.compute(
            key, 0, lambda: merge(self.find_modules(scope, item) for item in self._list_star_imports(scope))
        )

    def _list_star_imports(self, scope: FileScope) -> list[Import]:
        word, shared = scope.rule.shared_import, []
        if word:
            projects = self._modules.dotnet_projects
            shared = [Import(text, "*", "", 0) for text in projects.list_imports(scope.path)]
            for blob, _ in self._view.snapshot.mentions(word):
                for path in self._view.paths.get(blob, ()):
                    if projects.is_same_project(path, scope.path):
                        shared += [item for item in self._scope(path).facts.imports if item.name == word]
        return [*scope.star_imports, *shared]

    # -- what an import binds --------------------------------------------------------------------------------------

    def resolve_import(self, path: str, item: Import, depth: int) -> Entities:
        """Resolve an import to what it binds."""
        scope = self._scope(path)
        if scope.rule.namespaces:
            return self._resolve_from_namespace(scope, item, depth)
        if scope.rule.reach == "includes":
            return self._linkage.resolve_name(path, [item.module], item.name) if item.name else ()
        if not item.name and not item.alias and scope.rule.plain_import == "root":
            item = item._replace(module=item.module.split(".")[0])
        modules = self.find_modules(scope, item)
        if item.name in ("", "*"):
            return merge(self._evaluate_module(module, depth) for module in modules)
        if EXTERNAL in modules:
            return (EXTERNAL,)
        member = self._later.members.member
        found = merge(member(module, item.name, depth + 1) for module in modules)
        if not found and scope.rule.module_value:
            given = merge(self._evaluate_module(module, depth) for module in modules)
            found = merge(member(entity, item.name, depth + 1) for entity in given)
        return found or self._find_submodule(scope, item)

    def _resolve_from_namespace(self, scope: FileScope, item: Import, depth: int) -> Entities:
        modules = self.find_modules(scope, item)
        if item.name in ("", "*", scope.rule.shared_import):
            return modules
        found = merge(self.resolve_export(module, item.name, depth + 1) for module in modules)
        return tuple(one for one in found if one.kind == "def") or (EXTERNAL,)

    def _evaluate_module(self, module: Entity, depth: int) -> Entities:
        """Return the value that a module exports as a whole, or the module itself if there is none."""
        if module.kind != "module" or module.path not in self._modules.files:
            return (module,)
        scope = self._scope(module.path)
        bound = scope.bindings.get((-1, scope.rule.module_value)) if scope.rule.module_value else None
        values = self._later.values.values(scope.path, bound, depth + 1) if bound else ()
        # Members defined beside the value are found in the file.
        return (*values, module) if values else (module,)

    def _find_submodule(self, scope: FileScope, item: Import) -> Entities:
        """Resolve `from package import module`, where the name is a submodule."""
        if scope.spec is None or scope.rule.module_words:
            return ()
        joint = "" if item.module.endswith(".") else scope.spec.separator
        found = self._modules.find(scope.spec, scope.path, f"{item.module}{joint}{item.name}")
        return tuple(Entity("module", place) for place in found or ())

    def resolve_mention(self, path: str, name: str, line: int) -> Entities:
        """Resolve a name that is mentioned in an import."""
        found: list[Entity] = []
        imports = self._scope(path).facts.imports
        for item in [item for item in imports if item.line == line] or imports:
            if abs(item.line - line) <= 200 and (item.name == name or (item.alias == name and item.name == "default")):
                found += self.resolve_import(path, item, 0)
            elif not item.name and (item.module == name or item.module.split(".")[-1].endswith(name)):
                found += self.resolve_import(path, item, 0)
        return tuple(dict.fromkeys(found))

    # -- what a module exports -------------------------------------------------------------------------------------

    def resolve_export(self, module: Entity, name: str, depth: int) -> Entities:
        """Resolve a name exported by a module: defined there, re-exported, or a submodule."""
        return self._memo.compute(("exported", module, name), depth, lambda: self._resolve_export(module, name, depth))

    def _resolve_export(self, module: Entity, name: str, depth: int) -> Entities:
        if module.kind != "module":
            return self._later.members.member(module, name, depth + 1)
        if module.text:
            space = "" if module.text == GLOBAL_NAMESPACE else module.text
            below = module._replace(text=f"{space}.{name}") if space else EXTERNAL
            return self._definitions.find_closest(module.path, space, name) or (below,)
        if module.path.endswith("/") or module.path not in self._modules.files:
            return self._resolve_in_directory(module, name)
        return self._resolve_in_file(module, name, depth)

    def _resolve_in_file(self, module: Entity, name: str, depth: int) -> Entities:
        scope = self._scope(module.path)
        top = scope.children.get((-1, name), [])
        if top and not scope.is_module_and_import(name):
            return to_defs(scope.path, top)
        if name in scope.imports:
            items = scope.select_nearest(scope.imports[name], -1)
            imported = (self.resolve_import(scope.path, item, depth + 1) for item in items)
            return merge((to_defs(scope.path, top), *imported))
        bound = scope.bindings.get((-1, name))
        if bound:
            return self._later.values.values(scope.path, bound, depth + 1)
        if name == scope.rule.default_export:
            marked = [at for at, item in enumerate(scope.definitions) if "default " in item.signature[:16]]
            return to_defs(scope.path, marked[:1])
        for item in scope.star_imports:
            for other in self.find_modules(scope, item):
                found = self._later.members.member(other, name, depth + 1) if other.kind in ("module", "def") else ()
                if found:
                    return found
        below = self._modules.find_child(scope.spec, module.path, name) if scope.spec else []
        return tuple(Entity("module", place) for place in below)

    def _resolve_in_directory(self, module: Entity, name: str) -> Entities:
        directory = module.path[:-1]
        around = self._modules.by_directory.get(directory, ())
        inside = next((path for path in around if self._scope(path).rule.reach == "directory"), None)
        if inside is not None:
            return self._definitions.find_in_directory(self._scope(inside).rule.imports, directory, "", name)
        inside = next((path for path in self._modules.files if path.startswith(module.path)), None)
        spec = self._scope(inside).spec if inside else None
        below = self._modules.find_child(spec, module.path, name) if spec else []
        return tuple(Entity("module", place) for place in below)

    def resolve_in_module(self, entity: Entity, name: str, depth: int) -> Entities:
        """Resolve a name in an inline module beyond its own definitions: its imports, or its file."""
        scope = self._scope(entity.path)
        item = scope.definitions[entity.position]
        if entity.position not in scope.containers and scope.spec is not None:
            files = self._modules.find_child(scope.spec, entity.path, item.name)
            return merge(self.resolve_export(Entity("module", place), name, depth + 1) for place in files)
        here = [each for each in scope.imports.get(name, ()) if scope.find_module(each.line) == entity.position]
        stars = [each for each in scope.star_imports if scope.find_module(each.line) == entity.position]
        return merge(self.resolve_import(entity.path, each, depth + 1) for each in here) or merge(
            self._later.members.member(module, name, depth + 1)
            for each in stars
            for module in self.find_modules(scope, each)
            if module.kind in ("module", "def")
        )
