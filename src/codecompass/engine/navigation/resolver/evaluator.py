"""Evaluator: what chains of names, bindings, definitions, written types and calls evaluate to."""

import re

from codecompass.engine.navigation.resolver.context import LookupContext
from codecompass.engine.navigation.resolver.definition_index import DefinitionIndex
from codecompass.engine.navigation.resolver.extension_members import ExtensionMembers
from codecompass.engine.navigation.resolver.name_lookup import NameLookup
from codecompass.engine.navigation.resolver.object_members import ObjectMembers
from codecompass.engine.navigation.resolver.type_syntax import parse_type
from codecompass.engine.navigation.resolver.values import (
    EXTERNAL,
    MAX_DEPTH,
    MAX_ENTITIES,
    NAMED_TYPES,
    VALUE_KINDS,
    Entities,
    Entity,
    merge,
    to_instance,
)
from codecompass.languages.extraction.name_chains import LITERAL, LOCAL, UNKNOWN
from codecompass.languages.language_spec import ResolveRule
from codecompass.model.code.facts import Binding

_STEP = re.compile(r"\.?([^.\[(]+)((?:\(\)|\[\])*)")
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?|_?T[A-Z]?\w*")


class Evaluator:
    """Evaluates to types and instances; what cannot be followed evaluates to nothing."""

    def __init__(
        self,
        context: LookupContext,
        definitions: DefinitionIndex,
        names: NameLookup,
        extensions: ExtensionMembers,
        members: ObjectMembers,
    ) -> None:
        self._linkage = context.linkage
        self._memo = context.memo
        self._doubts = context.doubts
        self._scope = context.scopes.get
        self._definitions = definitions
        self._names = names
        self._extensions = extensions
        self._members = members

    # -- chains of names -----------------------------------------------------------------------------------------------

    def evaluate(self, path: str, owner: int, text: str, depth: int = 0, at: int = 0) -> Entities:
        """Evaluate a chain of names; `at` is the position in its function, as in `_resolve_local`."""
        if text in (UNKNOWN, LOCAL) or depth > MAX_DEPTH:
            return ()
        key = ("evaluate", path, owner, text, at)
        return self._memo.compute(key, depth, lambda: self._evaluate(path, owner, text, depth, at))

    def _evaluate(self, path: str, owner: int, text: str, depth: int, at: int) -> Entities:
        if text.startswith(LITERAL):
            return (EXTERNAL,)
        bound, text = text.startswith(LOCAL), text.removeprefix(LOCAL)
        rule = self._scope(path).rule
        text = text if rule.bare_calls else text.replace("!", "")  # the non-null operator
        entities: Entities = ()
        before: Entities = ()
        for number, step in enumerate(_STEP.finditer(text)):
            name, suffix = step.groups()
            if number == 0 and name + suffix in rule.super_words:
                entities = merge(
                    self._members.find_parents(entity, depth + 1)
                    for entity in self._members.find_self_type(path, owner)
                )
                entities, suffix = tuple(to_instance(entity) for entity in entities), ""
            elif number == 0 and name in rule.self_words:
                entities = self._members.find_self_type(path, owner)
            elif number == 0:
                entities = self._resolve_chain_head(path, owner, name, depth + 1, at if bound else -1)
            else:
                before = entities
                entities = merge(self._evaluate_step(entity, name, depth + 1) for entity in entities)
                entities = self._extensions.add_extensions(path, owner, name, before, entities)
                entities, suffix = self._unwrap(rule, name, suffix, before, entities, depth)
            if rule.bare_calls and "()" not in suffix:
                entities = merge(
                    self.evaluate_call(one, depth + 1) if self._definitions.is_function(one) else (one,)
                    for one in entities
                )
            for _ in range(suffix.count("()")):
                entities = merge(
                    self._evaluate_self_return(one, before) or self._evaluate_result(one, name, depth + 1)
                    for one in entities
                )
                before = ()
            for _ in range(suffix.count("[]")):
                entities = merge(self.evaluate_item(entity, depth + 1) for entity in entities)
            if not entities:
                return ()
        return merge(self.evaluate_definition(entity, depth + 1) for entity in entities)

    def _resolve_chain_head(self, path: str, owner: int, name: str, depth: int, at: int) -> Entities:
        """Resolve the first name of a chain; a local one (`at` ≥ 0) refers to its binding, known or not."""
        if at >= 0:
            return self._names.resolve_local(path, owner, name, depth, at)
        return self._resolve_chain_start(path, owner, name, depth)

    def _resolve_chain_start(self, path: str, owner: int, name: str, depth: int) -> Entities:
        """Resolve the first name of a chain that is not a local variable."""
        rule = self._scope(path).rule
        word, at, label = name.partition("@")
        if at and word in rule.self_words:  # the instance of an enclosing type
            return tuple(
                to_instance(one)
                for one in self._names.resolve_type(path, owner, label, depth)
                if self._definitions.is_type_or_namespace(one)
            )
        found = self._linkage.to_namespaces(path, self._names.resolve_head(path, owner, name, depth))
        if rule.reach == "includes" and found == (EXTERNAL,) and name[:1].islower() and name not in rule.builtins:
            return ()  # as likely a variable defined by a macro as an external name
        return found

    def _evaluate_step(self, entity: Entity, name: str, depth: int) -> Entities:
        """Evaluate a member; without a definition, return what was assigned to it."""
        if entity.kind == "def":
            entities = self.evaluate_definition(entity, depth + 1)
            if entities != (entity,):
                return merge(self._evaluate_step(value, name, depth + 1) for value in entities)
        rule = self._scope(entity.path).rule if entity.kind == "def" else None
        if rule is not None and (name in rule.makers or name == rule.inner_word):
            return (entity,)
        if entity.kind == "def" and name in self._scope(entity.path).rule.self_words:
            return (to_instance(entity),)  # the instance of an enclosing type
        found = self._members.member(entity, name, depth)
        if any(item.kind == "def" for item in found) or entity.kind not in ("def", "instance"):
            return found
        return self.find_bound_member(entity, name, depth) or found

    def find_bound_member(self, entity: Entity, name: str, depth: int) -> Entities:
        """Return values assigned to a member that has no definition, here or in a base type."""
        for part in self._definitions.parts(entity):
            bound = self._scope(part.path).bindings.get((part.position, "." + name))
            if bound:
                return self.values(part.path, bound, depth + 1)
        for base in self._members.bases(entity, depth + 1):
            if base.kind in ("def", "instance") and depth < MAX_DEPTH:
                found = self.find_bound_member(base, name, depth + 1)
                if found:
                    return found
        return ()

    def _unwrap(
        self, rule: ResolveRule, name: str, suffix: str, before: Entities, found: Entities, depth: int
    ) -> tuple[Entities, str]:
        """Evaluate members of all types that return the object itself or one of its items."""
        if name not in (*rule.transparent, *rule.item_members) or any(entity.kind == "def" for entity in found):
            return found, suffix
        own = merge(self.evaluate_definition(entity, depth + 1) for entity in before)
        if name in rule.item_members:
            own = merge(self.evaluate_item(entity, depth + 1) for entity in own if entity.kind == "collection")
        if not own or EXTERNAL in own:
            return found, suffix
        return own, suffix.replace("()", "", 1)

    # -- bindings and definitions --------------------------------------------------------------------------------------

    def values(self, path: str, bound: list[Binding], depth: int, place: int = -1) -> Entities:
        """Evaluate bindings: declared types first, values only if there is no declared type."""
        if depth > MAX_DEPTH:
            return ()
        typed = [item for item in bound if item.how == "type"]
        if not typed and any(item.how == "test" for item in bound):
            return self._evaluate_tests(path, bound, depth, place)
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
                    values = merge(self.evaluate_item(entity, depth + 1) for entity in values)
                found += values
        return tuple(dict.fromkeys(found))[:MAX_ENTITIES]

    def _evaluate_tests(self, path: str, bound: list[Binding], depth: int, place: int) -> Entities:
        """Evaluate bindings that include type tests; the tested types count only if nothing else is known."""
        known = [item for item in bound if item.how != "test"]
        found = self.values(path, known, depth, place) if known else ()
        tests = [item._replace(how="value") for item in bound if item.how == "test"]
        return found or self.values(path, tests, depth, place)

    def evaluate_definition(self, entity: Entity, depth: int = 0) -> Entities:
        """Evaluate a definition: a variable to its value, everything else to itself."""
        if entity.kind != "def" or depth > MAX_DEPTH:
            return (entity,) if entity.kind != "def" else ()
        scope = self._scope(entity.path)
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
        return found or (
            (entity,) if entity.position in scope.containers or self._members.mixin_members(entity) else ()
        )

    # -- written types -------------------------------------------------------------------------------------------------

    def instantiate(self, path: str, scope_at: int, text: str, depth: int = 0) -> Entities:
        """Return instances of a written type."""
        rule = self._scope(path).rule
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
                found += self._members.find_self_type(path, scope_at)
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
        look = self._names.resolve_head if rest else self._names.resolve_type
        entities = self._linkage.filter_types(
            path, self._linkage.to_namespaces(path, look(path, scope_at, head, depth + 1)), types=True
        )
        if entities in ((), (EXTERNAL,)) and _TYPE_PARAMETER.fullmatch(head) and head not in self._scope(path).imports:
            # Most likely a type parameter, which can be anything that its bounds allow.
            return self._names.resolve_local(path, scope_at, head, depth + 1)
        for part in rest:
            entities = merge(self._members.member(entity, part, depth + 1) for entity in entities)
        return tuple(self._members.to_type(entity, depth) for entity in entities)

    def find_receiver(self, path: str, owner: int, until: int) -> Entities:
        """Return the receiver of a function around a definition, searching inside the definition `until`."""
        scope = self._scope(path)
        for at in scope.list_functions(owner):
            if at > until and (text := scope.get_receiver(at)):
                return self.instantiate(path, at, text)
        return ()

    # -- calls and items -----------------------------------------------------------------------------------------------

    def evaluate_call(self, entity: Entity, depth: int = 0) -> Entities:
        """Return the result of calling an entity."""
        if entity.kind != "def" or depth > MAX_DEPTH:
            return (EXTERNAL,) if entity.kind == "external" else ()
        scope = self._scope(entity.path)
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
            return merge(self.evaluate_call(value, depth + 1) for value in values)
        bound = scope.bindings.get((entity.position, "()"), [])
        if not bound and self._members.mixin_members(entity):
            return (Entity("instance", entity.path, entity.position),)
        return self.values(entity.path, bound, depth + 1) if bound else self._evaluate_declarations(entity, depth)

    def _evaluate_result(self, entity: Entity, name: str, depth: int) -> Entities:
        """Evaluate a call; by convention a capitalised external name is a type, other external calls are unknown."""
        if entity.kind == "external" or (entity.kind == "module" and entity.text):
            last = name[name.rfind("\\") + 1 :]
            return (EXTERNAL._replace(text=last),) if last[:1].isupper() else ()
        if entity.kind == "instance" and name in self._scope(entity.path).rule.self_types:
            return (entity,)
        return self.evaluate_call(entity, depth)

    def _evaluate_declarations(self, entity: Entity, depth: int) -> Entities:
        """Return the result of a function according to its other declarations."""
        if self._scope(entity.path).rule.reach != "includes":
            return ()
        declarations = self._linkage.find_declarations(entity.path, entity.position)
        known = ((path, self._scope(path).bindings.get((at, "()"), [])) for path, at in declarations)
        return next((self.values(path, more, depth + 1) for path, more in known if more), ())

    def _evaluate_self_return(self, entity: Entity, before: Entities) -> Entities:
        """Return the receiver as the result of a function whose return type is the receiver's own type."""
        if not before or not self._definitions.is_function(entity):
            return ()
        scope = self._scope(entity.path)
        words = scope.rule.late_types
        types = [item.text for item in scope.bindings.get((entity.position, "()"), ()) if item.how == "type" and words]
        if not any(one.name in words for text in types for one in parse_type(text)):
            return ()
        own = merge(self.evaluate_definition(one) for one in before)
        return tuple(
            to_instance(one) for one in own if one.kind == "instance" or self._definitions.is_type_or_namespace(one)
        )

    def evaluate_item(self, entity: Entity, depth: int) -> Entities:
        """Return the item of a collection."""
        if entity.kind == "collection":
            return self.instantiate(entity.path, entity.position, entity.text, depth + 1)
        if entity.kind in ("def", "instance") and self._scope(entity.path).rule.pointers:
            return self._evaluate_pointer(entity, depth)
        if entity.kind == "external":
            return (EXTERNAL,)
        if depth > MAX_DEPTH or entity.kind not in ("def", "instance"):
            return ()
        behind = (
            self._members.resolve_alias(entity, depth)
            if entity.kind == "instance"
            else self.evaluate_definition(entity, depth + 1)
        )
        return merge(self.evaluate_item(one, depth + 1) for one in behind if one != entity)

    def _evaluate_pointer(self, entity: Entity, depth: int) -> Entities:
        """Evaluate an index into a pointer: the same type, unless the type has an index operator."""
        item = self._scope(entity.path).definitions[entity.position]
        if depth > MAX_DEPTH:
            return ()
        if (
            entity.kind == "def"
            and item.kind in VALUE_KINDS
            and (values := self.evaluate_definition(entity, depth + 1)) != (entity,)
        ):
            many = f"{item.name}[" in item.signature  # an array, regardless of the operators of its items
            return values if many else merge(self.evaluate_item(one, depth + 1) for one in values)
        aliased = self._members.resolve_alias(entity, depth)
        if aliased:
            return merge(self.evaluate_item(one, depth + 1) for one in aliased if one != entity)
        operator = [one for one in self._members.member(entity, "operator[]", depth + 1) if one.kind == "def"]
        return merge(self.evaluate_call(one, depth + 1) for one in operator) if operator else (entity,)
