"""Resolver: what a mention means, by the scopes, imports and types of its language, never by similarity.

A bare name is looked up outwards: enclosing functions, members of the enclosing type (where the language allows that),
the file, its imports, and what else is visible. A name after a receiver is a member of what the receiver's chain of
names evaluates to. Anything that cannot be followed stays unresolved.
"""

import re
from collections.abc import Iterable

from codecompass.engine.navigation.resolver.name_lookup import (
    MAX_DEPTH,
    MAX_ENTITIES,
    NAMED_TYPES,
    to_defs,
    to_instance,
)
from codecompass.engine.navigation.resolver.object_members import VALUE_KINDS, ObjectLookup
from codecompass.engine.navigation.resolver.scopes import get_last_part
from codecompass.engine.navigation.resolver.type_syntax import parse_type
from codecompass.engine.navigation.resolver.values import EXTERNAL, Entities, Entity, NameResolution
from codecompass.languages.extraction.name_chains import LITERAL, LOCAL, UNKNOWN
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.model.code.facts import Binding

_STEP = re.compile(r"\.?([^.\[(]+)((?:\(\)|\[\])*)")
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?|_?T[A-Z]?\w*")
_TYPE_ROLES = frozenset({"type", "inherit", "instance", "throw", "decorator"})
"""Roles that (almost) only types can have."""


class Resolver(ObjectLookup):
    """Resolves mentions in one view, for the duration of the call that pinned it."""

    # -- mentions --------------------------------------------------------------------------------------------------

    def resolve(self, path: str, role: str, name: str, owner: int, receiver: str, line: int) -> NameResolution:
        """Resolve one mention."""
        if receiver == LOCAL:
            return self._to_resolution(self._resolve_local(path, owner, name, 0, 2 * line + 1), bound=True)
        if role == "import":
            return self._to_resolution(self._resolve_import_mention(path, name, line))
        if not receiver:
            look = self.resolve_type if role in _TYPE_ROLES else self.resolve_name
            found = self.filter_types(path, look(path, owner, name, 0), types=role in _TYPE_ROLES)
            return self._to_resolution(self.filter_by_role(role, self.select_visible(path, role, found)))
        entities = self.evaluate(path, owner, receiver, 0, 2 * line + 1 if receiver.startswith(LOCAL) else 0)
        found = self._merge(self.member(entity, name) for entity in entities)
        found = self.select_visible(path, role, self.add_extensions(path, owner, name, entities, found))
        return self._to_resolution(self.filter_by_role(role, found))

    def _to_resolution(self, entities: Iterable[Entity], *, bound: bool = False) -> NameResolution:
        entities = tuple(dict.fromkeys(entities))
        places = tuple((entity.path, entity.position) for entity in entities if entity.kind == "def")
        if places:
            logical = {self.get_identity(*place) for place in places}
            return NameResolution("resolved" if len(logical) == 1 else "ambiguous", self.add_declarations(places))
        known = bound or any(entity.kind in ("external", "module", "instance", "collection") for entity in entities)
        return NameResolution("external" if known else "unresolved")

    # -- members ---------------------------------------------------------------------------------------------------

    def member(self, entity: Entity, name: str, depth: int = 0) -> Entities:
        """Resolve `name` as a member of an entity."""
        if entity.kind == "external" or depth > MAX_DEPTH:
            return (EXTERNAL,) if entity.kind == "external" else ()
        if entity.kind == "module":
            return self._resolve_export(entity, name, depth + 1)
        if entity.kind == "collection":
            return (EXTERNAL,)
        if entity.kind == "namespace":
            return self.to_namespaces(entity.path, self.linkage.resolve_name(entity.path, [entity.text], name))
        item = self.scope(entity.path).definitions[entity.position]
        inside = self.scope(entity.path).children.get((entity.position, name))
        if entity.kind == "def" and inside and item.kind not in FUNCTIONS:
            return to_defs(entity.path, inside)
        if entity.kind == "def" and item.kind in VALUE_KINDS:
            own = self.mixin_members(entity).get(name)
            if own:
                return to_defs(entity.path, own)
            return self._merge(
                self.member(value, name, depth + 1) for value in self.evaluate_definition(entity, depth + 1)
            )
        if entity.kind == "def" and item.kind in FUNCTIONS:
            return to_defs(entity.path, self.mixin_members(entity).get(name, ()))
        if item.kind == "mod" and self.scope(entity.path).rule.module_words:
            return self._memoize(("inside", entity, name), depth, lambda: self.resolve_in_module(entity, name, depth))
        return self._memoize(
            ("member", entity.path, entity.position, name), depth, lambda: self._member(entity, name, depth)
        )

    def _member(self, entity: Entity, name: str, depth: int) -> Entities:
        scope = self.scope(entity.path)
        own = [at for block in self.blocks(entity) for at in scope.children.get((block, name), ())]
        found = list(to_defs(entity.path, own or self.mixin_members(entity).get(name, ())))
        if not found and scope.rule.open_types:
            found = self._find_outside_members(entity, name)
        if found:
            return tuple(found)
        aliased = self._merge(
            self.member(one, name, depth + 1) for one in self.resolve_alias(entity, depth) if one != entity
        )
        if aliased:
            return aliased
        above: list[Entity] = []
        for base in self.bases(entity, depth + 1):
            above += self.member(base, name, depth + 1)
            if any(item.kind == "def" for item in above):
                break
        if any(item.kind == "def" for item in above):
            return tuple(item for item in dict.fromkeys(above) if item.kind == "def")
        return tuple(dict.fromkeys(above))

    def bases(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the base types in source order; EXTERNAL for external ones."""
        return self._memoize(("bases", entity.path, entity.position), depth, lambda: self._bases(entity, depth))

    def _bases(self, entity: Entity, depth: int) -> Entities:
        found: list[Entity] = []
        for part in self.find_all_parts(entity):
            found += self._resolve_bases(part, depth)
        return self.order_bases(tuple(dict.fromkeys(one for one in found if one != entity)))

    def _resolve_bases(self, entity: Entity, depth: int) -> list[Entity]:
        scope = self.scope(entity.path)
        found: list[Entity] = []
        for position in self.blocks(entity):
            for item in scope.bases.get(position, ()):
                around = scope.definitions[position].parent
                if item.receiver and item.receiver not in (LOCAL, UNKNOWN):
                    entities = self._merge(
                        self.member(base, item.name, depth + 1)
                        for base in self.evaluate(entity.path, around, item.receiver, depth + 1)
                    )
                else:
                    entities = self.resolve_type(entity.path, around, item.name, depth + 1)
                found += [self._to_type(one, depth) for one in entities]
        return found

    def find_self_type(self, path: str, owner: int) -> Entities:
        """Return the type a definition belongs to: the enclosing one, the implemented one, or its receiver's."""
        scope = self.scope(path)
        position = scope.find_type(owner)
        if scope.rule.receivers and (found := self.find_receiver(path, owner, position)):
            return found
        while position >= 0 and scope.definitions[position].kind == "type" and position not in scope.containers:
            position = scope.find_type(scope.definitions[position].parent)  # an alias has no members
        if position >= 0 and scope.definitions[position].kind != "impl":
            return (Entity("instance", path, position),)
        name = scope.definitions[position].name if position >= 0 else ""
        if scope.rule.reach == "includes":
            return self.find_outer_type(path, scope.list_functions(owner))
        if scope.rule.blocks and name:
            return tuple(to_instance(entity) for entity in self.find_block_type(path, position))
        if not name:
            method = next((at for at in scope.list_functions(owner) if scope.definitions[at].scope), -1)
            name = get_last_part(scope.definitions[method].scope) if method >= 0 else ""
        if not name:
            return ()
        around = scope.definitions[position].parent if position >= 0 else -1
        return tuple(
            Entity("instance", entity.path, entity.position)
            for entity in self.resolve_name(path, around, name)
            if entity.kind == "def"
        )

    # -- values ----------------------------------------------------------------------------------------------------

    def evaluate(self, path: str, owner: int, text: str, depth: int = 0, at: int = 0) -> Entities:
        """Evaluate a chain of names; `at` is the position in its function, as in `_resolve_local`."""
        if text in (UNKNOWN, LOCAL) or depth > MAX_DEPTH:
            return ()
        key = ("evaluate", path, owner, text, at)
        return self._memoize(key, depth, lambda: self._evaluate(path, owner, text, depth, at))

    def _evaluate(self, path: str, owner: int, text: str, depth: int, at: int) -> Entities:
        if text.startswith(LITERAL):
            return (EXTERNAL,)
        bound, text = text.startswith(LOCAL), text.removeprefix(LOCAL)
        rule = self.scope(path).rule
        text = text if rule.bare_calls else text.replace("!", "")  # the non-null operator
        entities: Entities = ()
        before: Entities = ()
        for number, step in enumerate(_STEP.finditer(text)):
            name, suffix = step.groups()
            if number == 0 and name + suffix in rule.super_words:
                entities = self._merge(
                    self.find_parents(entity, depth + 1) for entity in self.find_self_type(path, owner)
                )
                entities, suffix = tuple(to_instance(entity) for entity in entities), ""
            elif number == 0 and name in rule.self_words:
                entities = self.find_self_type(path, owner)
            elif number == 0:
                entities = self._resolve_chain_head(path, owner, name, depth + 1, at if bound else -1)
            else:
                before = entities
                entities = self._merge(self._evaluate_step(entity, name, depth + 1) for entity in entities)
                entities = self.add_extensions(path, owner, name, before, entities)
                entities, suffix = self._unwrap(rule, name, suffix, before, entities, depth)
            if rule.bare_calls and "()" not in suffix:
                entities = self._merge(
                    self.evaluate_call(one, depth + 1) if self.is_function(one) else (one,) for one in entities
                )
            for _ in range(suffix.count("()")):
                entities = self._merge(
                    self.evaluate_self_return(one, before) or self._evaluate_result(one, name, depth + 1)
                    for one in entities
                )
                before = ()
            for _ in range(suffix.count("[]")):
                entities = self._merge(self.evaluate_item(entity, depth + 1) for entity in entities)
            if not entities:
                return ()
        return self._merge(self.evaluate_definition(entity, depth + 1) for entity in entities)

    def _resolve_chain_head(self, path: str, owner: int, name: str, depth: int, at: int) -> Entities:
        """Resolve the first name of a chain; a local one (`at` ≥ 0) refers to its binding, known or not."""
        if at >= 0:
            return self._resolve_local(path, owner, name, depth, at)
        return self.resolve_chain_start(path, owner, name, depth)

    def _evaluate_result(self, entity: Entity, name: str, depth: int) -> Entities:
        """Evaluate a call; by convention a capitalised external name is a type, other external calls are unknown."""
        if entity.kind == "external" or (entity.kind == "module" and entity.text):
            last = name[name.rfind("\\") + 1 :]
            return (EXTERNAL._replace(text=last),) if last[:1].isupper() else ()
        if entity.kind == "instance" and name in self.scope(entity.path).rule.self_types:
            return (entity,)
        return self.evaluate_call(entity, depth)

    def _evaluate_step(self, entity: Entity, name: str, depth: int) -> Entities:
        """Evaluate a member; without a definition, return what was assigned to it."""
        if entity.kind == "def":
            entities = self.evaluate_definition(entity, depth + 1)
            if entities != (entity,):
                return self._merge(self._evaluate_step(value, name, depth + 1) for value in entities)
        rule = self.scope(entity.path).rule if entity.kind == "def" else None
        if rule is not None and (name in rule.makers or name == rule.inner_word):
            return (entity,)
        if entity.kind == "def" and name in self.scope(entity.path).rule.self_words:
            return (to_instance(entity),)  # the instance of an enclosing type
        found = self.member(entity, name, depth)
        if any(item.kind == "def" for item in found) or entity.kind not in ("def", "instance"):
            return found
        return self.find_bound_member(entity, name, depth) or found

    def find_bound_member(self, entity: Entity, name: str, depth: int) -> Entities:
        for part in self.parts(entity):
            bound = self.scope(part.path).bindings.get((part.position, "." + name))
            if bound:
                return self.values(part.path, bound, depth + 1)
        for base in self.bases(entity, depth + 1):
            if base.kind in ("def", "instance") and depth < MAX_DEPTH:
                found = self.find_bound_member(base, name, depth + 1)
                if found:
                    return found
        return ()

    def evaluate_definition(self, entity: Entity, depth: int = 0) -> Entities:
        """Evaluate a definition: a variable to its value, everything else to itself."""
        if entity.kind != "def" or depth > MAX_DEPTH:
            return (entity,) if entity.kind != "def" else ()
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind not in VALUE_KINDS:
            return (entity,)
        home = scope.find_container(entity.position)
        if item.kind == "property":
            found = self.evaluate_call(entity, depth + 1)
            if found:
                return found
        if home >= 0 and scope.definitions[home].kind == "enum":
            return (Entity("instance", entity.path, home),)
        prefix = scope.rule.member_prefix
        keys = ("." + item.name, item.name, f".{prefix}{item.name}")
        outer = -1 if home >= 0 and scope.definitions[home].kind == "mod" else home
        bound = next((known for key in keys if (known := scope.bindings.get((outer, key)))), [])
        found = self.values(entity.path, bound, depth + 1, home)
        # An object literal carries its members itself.
        return found or ((entity,) if entity.position in scope.containers or self.mixin_members(entity) else ())

    def values(self, path: str, bound: list[Binding], depth: int, place: int = -1) -> Entities:
        """Evaluate bindings: declared types first, values only if there is no declared type."""
        if depth > MAX_DEPTH:
            return ()
        typed = [item for item in bound if item.how == "type"]
        if not typed and any(item.how == "test" for item in bound):
            return self.evaluate_tests(path, bound, depth, place)
        found: list[Entity] = []
        for item in typed or bound:
            # Resolve the types of members inside their type.
            around = item.owner if item.scope < 0 and item.name.startswith(".") else item.scope
            around = around if around >= 0 else place
            if item.how == "type":
                found += self.instantiate(path, around, item.text, depth + 1)
            else:
                at = 2 * item.line if item.until else 0
                values = self.evaluate(path, around, item.text, depth + 1, at)
                if item.how == "item":
                    values = self._merge(self.evaluate_item(entity, depth + 1) for entity in values)
                found += values
        return tuple(dict.fromkeys(found))[:MAX_ENTITIES]

    def instantiate(self, path: str, scope_at: int, text: str, depth: int = 0) -> Entities:
        """Return instances of a written type."""
        rule = self.scope(path).rule
        found: list[Entity] = []
        for name, arguments, many in parse_type(text):
            last = name.rpartition(".")[2]
            if many:
                found.append(Entity("collection", path, scope_at, name))
            elif last in rule.unwrap and arguments and not self._is_repository_type(path, scope_at, name, depth):
                found += self.instantiate(path, scope_at, arguments[0], depth + 1)
            elif last in rule.containers and arguments and not self._is_repository_type(path, scope_at, name, depth):
                found.append(Entity("collection", path, scope_at, arguments[-1]))
            elif name in rule.self_types:
                found += self.find_self_type(path, scope_at)
            else:
                entities = self._resolve_type_name(path, scope_at, name, depth)
                if (rule.extension_mark or rule.receivers or rule.blocks) and entities == (EXTERNAL,):
                    entities = (EXTERNAL._replace(text=last),)  # the repository may define extensions of it
                found += [to_instance(entity) for entity in entities]
        return tuple(dict.fromkeys(found))

    def _is_repository_type(self, path: str, scope_at: int, name: str, depth: int) -> bool:
        """Return whether a wrapper type is defined in the repository, with members of its own."""
        return any(entity.kind == "def" for entity in self._resolve_type_name(path, scope_at, name, depth))

    def _resolve_type_name(self, path: str, scope_at: int, name: str, depth: int) -> Entities:
        head, *rest = name.split(".")
        look = self.resolve_head if rest else self.resolve_type
        entities = self.filter_types(path, self.to_namespaces(path, look(path, scope_at, head, depth + 1)), types=True)
        if entities in ((), (EXTERNAL,)) and _TYPE_PARAMETER.fullmatch(head) and head not in self.scope(path).imports:
            # Most likely a type parameter, which can be anything that its bounds allow.
            return self._resolve_local(path, scope_at, head, depth + 1)
        for part in rest:
            entities = self._merge(self.member(entity, part, depth + 1) for entity in entities)
        return tuple(self._to_type(entity, depth) for entity in entities)

    def evaluate_call(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the result of calling an entity."""
        if entity.kind != "def" or depth > MAX_DEPTH:
            return (EXTERNAL,) if entity.kind == "external" else ()
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind in NAMED_TYPES:
            return (Entity("instance", entity.path, entity.position),)
        if item.kind in VALUE_KINDS and item.kind != "property":
            home = scope.find_container(entity.position)
            if home >= 0 and scope.definitions[home].kind == "enum":
                return (Entity("instance", entity.path, home),)
            values = tuple(value for value in self.evaluate_definition(entity, depth + 1) if value != entity)
            if scope.rule.field_accessors:
                return values
            return self._merge(self.evaluate_call(value, depth + 1) for value in values)
        bound = scope.bindings.get((entity.position, "()"), [])
        if not bound and self.mixin_members(entity):
            return (Entity("instance", entity.path, entity.position),)
        return self.values(entity.path, bound, depth + 1) if bound else self.evaluate_declarations(entity, depth)

    def evaluate_item(self, entity: Entity, depth: int) -> Entities:
        """Return the item of a collection."""
        if entity.kind == "collection":
            return self.instantiate(entity.path, entity.position, entity.text, depth + 1)
        if entity.kind in ("def", "instance") and self.scope(entity.path).rule.pointers:
            return self.evaluate_pointer(entity, depth)
        if entity.kind == "external":
            return (EXTERNAL,)
        if depth > MAX_DEPTH or entity.kind not in ("def", "instance"):
            return ()
        behind = (
            self.resolve_alias(entity, depth)
            if entity.kind == "instance"
            else self.evaluate_definition(entity, depth + 1)
        )
        return self._merge(self.evaluate_item(one, depth + 1) for one in behind if one != entity)
