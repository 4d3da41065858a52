"""Namespaces: resolve names through the namespaces that files declare, independent of their directories."""

from codecompass.engine.navigation.resolver.context import LaterParts, LookupContext
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex, to_dotted
from codecompass.engine.navigation.resolver.import_lookup import GLOBAL_NAMESPACE, ImportLookup
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import EXTERNAL, NAMED_TYPES, Entities, Entity, merge, to_defs
from codecompass.languages.extraction.nesting import FUNCTIONS

_OUTER_KINDS = NAMED_TYPES | {"mod", "const"}
"""Kinds visible in nested types, where methods are looked up in the innermost type only."""
_OWN_NAMESPACE = "namespace"
"""First segment of a path that starts in the current namespace, regardless of imports."""


class NamespaceLookup:
    """Resolves bare and qualified names, in languages with namespaces."""

    def __init__(
        self, context: LookupContext, later: LaterParts, definitions: DefinitionIndex, imports: ImportLookup
    ) -> None:
        self._modules = context.modules
        self._scope = context.scopes.get
        self._later = later
        self._definitions = definitions
        self._imports = imports

    def resolve_outward(self, scope: FileScope, owner: int, name: str, depth: int, *, types: bool) -> Entities:
        """Resolve outwards: functions, types with inherited members, then namespaces."""
        path = scope.path
        if name in scope.rule.self_types:
            return self._later.members.find_self_type(path, owner)
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
                found = self._later.values.values(path, bound, depth + 1) if bound else found
                if scope.rule.receivers and not found and item.kind in FUNCTIONS:
                    called_on = self._later.values.find_receiver(path, at, at - 1)
                    found = merge(
                        self._later.members.member(one, name, depth + 1) for one in called_on if one.kind == "instance"
                    )
                    found = tuple(one for one in found if one.kind == "def")
                # A method inside a function or variable belongs to an anonymous type, whose members are unknown.
                unclear = unclear or (item.kind == "method" and not scope.has_members(item.parent))
            if found and (not types or any(self._definitions.is_type_or_namespace(one) for one in found)):
                return found
            at = item.parent
        found = self.resolve_in_namespaces(scope, owner, name, depth)
        # By convention a capitalised name is a type, and types are rarely inherited from outside.
        return found or (() if unclear and not name[:1].isupper() else self._resolve_unknown(scope, name))

    def _resolve_in_type(self, entity: Entity, name: str, depth: int, *, innermost: bool) -> Entities:
        """Resolve a bare name inside a type: the type itself, its members and inherited members."""
        scope = self._scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind == "impl":
            return self._resolve_in_block(entity, name, depth)
        if item.name == name:
            return self._definitions.parts(entity)
        if not innermost and not scope.rule.outer_members:
            held = self._definitions.find_declared(
                scope.rule.imports, self._definitions.get_full_name(entity.path, entity.position), name
            )
            return tuple(one for one in held if self._scope(one.path).definitions[one.position].kind in _OUTER_KINDS)
        found = self._later.members.member(Entity("instance", entity.path, entity.position), name, depth + 1)
        known = tuple(one for one in found if one.kind == "def" and not self._is_constructor(one))
        return known or (self._later.values.find_bound_member(entity, name, depth + 1) if innermost else ())

    def _resolve_in_block(self, block: Entity, name: str, depth: int) -> Entities:
        """Resolve a bare name inside an impl block: the type, its members and inherited members."""
        for entity in self._definitions.find_block_type(block.path, block.position):
            if entity.kind == "def":
                return self._resolve_in_type(entity, name, depth, innermost=True)
        if self._scope(block.path).definitions[block.position].name == name:
            return (EXTERNAL,)
        around = self._definitions.get_full_name(block.path, block.position)
        return tuple(self._definitions.find_declared(self._scope(block.path).rule.imports, around, name))

    def _is_constructor(self, entity: Entity) -> bool:
        """Return whether a method is a constructor; its bare name means the type."""
        scope = self._scope(entity.path)
        item, home = scope.definitions[entity.position], scope.find_container(entity.position)
        return item.kind in FUNCTIONS and home >= 0 and scope.definitions[home].name == item.name

    def resolve_in_namespaces(self, scope: FileScope, owner: int, name: str, depth: int) -> Entities:
        """Resolve a name outside all containers: imported, in an enclosing namespace, or star-imported."""
        top = scope.children.get((-1, name))
        if top:
            return merge(self._definitions.parts(entity) for entity in to_defs(scope.path, top))
        if name in scope.imports:
            return merge(self._imports.resolve_import(scope.path, item, depth + 1) for item in scope.imports[name])
        spaces = self.list_namespaces(scope, owner)
        for space in spaces[:1] if scope.spec and scope.spec.space_joint else spaces:
            found = self._definitions.find_closest(scope.path, space, name)
            if scope.rule.reach == "project" and any(self._definitions.is_function(one) for one in found):
                found = self._filter_loaded(scope, found)
            if found:
                return found
        if scope.rule.root_functions:
            return tuple(
                one
                for one in self._definitions.find_closest(scope.path, "", name)
                if not self._definitions.is_type_or_namespace(one)
            )
        return merge(
            tuple(one for one in self._imports.resolve_export(module, name, depth + 1) if one.kind == "def")
            for module in self._imports.find_star_modules(scope)
        )

    def _filter_loaded(self, scope: FileScope, entities: Entities) -> Entities:
        """Keep entities of files that this file loads; a top-level function exists only once its file is loaded."""
        if scope.spec is None:
            return ()
        modules = {item.module for item in scope.facts.imports}
        places = {place for module in modules for place in self._modules.find(scope.spec, scope.path, module) or ()}
        return tuple(entity for entity in entities if entity.path in places)

    def _resolve_unknown(self, scope: FileScope, name: str) -> Entities:
        """Classify a name found nowhere: external, unless the language hides where names come from and it exists."""
        if name in scope.rule.implicit_names:
            return ()
        return (
            ()
            if scope.rule.reach == "project" and self._definitions.load_table(scope.rule.imports, name)
            else (EXTERNAL,)
        )

    def list_namespaces(self, scope: FileScope, owner: int) -> list[str]:
        """List the namespaces around a definition, innermost first."""
        found = [to_dotted(scope.facts.package)]
        at = owner
        while at >= 0:
            if scope.definitions[at].kind == "mod" and not scope.has_members(at):
                found.insert(-1, self._definitions.get_full_name(scope.path, at))
            at = scope.definitions[at].parent
        if scope.rule.outer_namespaces:
            for space in tuple(found):
                while space:
                    space = space.rpartition(".")[0]
                    found.append(space)
        return list(dict.fromkeys(found))

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
            return (Entity("module", scope.path, -1, space or GLOBAL_NAMESPACE),)
        return self._definitions.find_closest(scope.path, space, last) or (EXTERNAL,)

    def _resolve_variable(self, scope: FileScope, owner: int, name: str, depth: int) -> Entities:
        """Resolve a variable of the enclosing functions or of the file."""
        for function in scope.list_functions(owner):
            bound = scope.bindings.get((function, name))
            if bound:
                return self._later.values.values(scope.path, bound, depth + 1)
        found = to_defs(scope.path, scope.children.get((-1, name), ()))
        return found or ((EXTERNAL,) if name in scope.rule.builtins else ())
