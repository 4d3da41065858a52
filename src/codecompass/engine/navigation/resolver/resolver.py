"""Resolver: what a mention means, by the scopes, imports and types of its language, never by similarity.

A bare name is looked up outwards: enclosing functions, members of the enclosing type (where the language allows that),
the file, its imports, and what else is visible. A name after a receiver is a member of what the receiver's chain of
names evaluates to. Anything that cannot be followed stays unresolved.
"""

import re
from collections.abc import Iterable

from codecompass.engine.navigation.resolver.name_lookup import MAX_DEPTH, MAX_SEEN, NAMED_TYPES, as_instance, defs
from codecompass.engine.navigation.resolver.object_members import VALUES, Objects
from codecompass.engine.navigation.resolver.scopes import last_part
from codecompass.engine.navigation.resolver.type_syntax import alternatives
from codecompass.engine.navigation.resolver.values import EXTERNAL, Outcome, Thing, Things
from codecompass.languages.extraction.name_chains import LITERAL, LOCAL, UNKNOWN
from codecompass.languages.extraction.nesting import FUNCTIONS
from codecompass.model.code.facts import Binding

_STEP = re.compile(r"\.?([^.\[(]+)((?:\(\)|\[\])*)")
_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?|_?T[A-Z]?\w*")
_OF_TYPES = frozenset({"type", "inherit", "instance", "throw", "decorator"})
"""Roles that (almost) only types can have."""


class Resolver(Objects):
    """Resolves mentions in one view, for the duration of the call that pinned it."""

    # -- mentions --------------------------------------------------------------------------------------------------

    def resolve(self, path: str, role: str, name: str, owner: int, receiver: str, line: int) -> Outcome:
        """Resolve one mention."""
        if receiver == LOCAL:
            return self._outcome(self._local(path, owner, name, 0, 2 * line + 1), bound=True)
        if role == "import":
            return self._outcome(self._import_mention(path, name, line))
        if not receiver:
            look = self.type_named if role in _OF_TYPES else self.named
            found = self.sorted_out(path, look(path, owner, name, 0), types=role in _OF_TYPES)
            return self._outcome(self.fitting(role, self.meant(path, role, found)))
        entities = self.evaluate(path, owner, receiver, 0, 2 * line + 1 if receiver.startswith(LOCAL) else 0)
        found = self._all(self.member(entity, name) for entity in entities)
        found = self.meant(path, role, self.extended(path, owner, name, entities, found))
        return self._outcome(self.fitting(role, found))

    def _outcome(self, entities: Iterable[Thing], *, bound: bool = False) -> Outcome:
        entities = tuple(dict.fromkeys(entities))
        places = tuple((entity.path, entity.position) for entity in entities if entity.kind == "def")
        if places:
            logical = {self.logical(*place) for place in places}
            return Outcome("resolved" if len(logical) == 1 else "ambiguous", self.with_twins(places))
        known = bound or any(entity.kind in ("external", "module", "instance", "collection") for entity in entities)
        return Outcome("external" if known else "unresolved")

    # -- members ---------------------------------------------------------------------------------------------------

    def member(self, entity: Thing, name: str, depth: int = 0) -> Things:
        """Resolve `name` as a member of an entity."""
        if entity.kind == "external" or depth > MAX_DEPTH:
            return (EXTERNAL,) if entity.kind == "external" else ()
        if entity.kind == "module":
            return self._exported(entity, name, depth + 1)
        if entity.kind == "collection":
            return (EXTERNAL,)
        if entity.kind == "namespace":
            return self.spaced(entity.path, self.linkage.named(entity.path, [entity.text], name))
        item = self.scope(entity.path).definitions[entity.position]
        inside = self.scope(entity.path).children.get((entity.position, name))
        if entity.kind == "def" and inside and item.kind not in FUNCTIONS:
            return defs(entity.path, inside)
        if entity.kind == "def" and item.kind in VALUES:
            own = self.lent(entity).get(name)
            if own:
                return defs(entity.path, own)
            return self._all(self.member(value, name, depth + 1) for value in self.value_of(entity, depth + 1))
        if entity.kind == "def" and item.kind in FUNCTIONS:
            return defs(entity.path, self.lent(entity).get(name, ()))
        if item.kind == "mod" and self.scope(entity.path).rule.module_words:
            return self._once(("inside", entity, name), depth, lambda: self.inside_module(entity, name, depth))
        return self._once(
            ("member", entity.path, entity.position, name), depth, lambda: self._member(entity, name, depth)
        )

    def _member(self, entity: Thing, name: str, depth: int) -> Things:
        scope = self.scope(entity.path)
        own = [at for block in self.blocks(entity) for at in scope.children.get((block, name), ())]
        found = list(defs(entity.path, own or self.lent(entity).get(name, ())))
        if not found and scope.rule.open_types:
            found = self._elsewhere(entity, name)
        if found:
            return tuple(found)
        aliased = self._all(self.member(one, name, depth + 1) for one in self.aliased(entity, depth) if one != entity)
        if aliased:
            return aliased
        above: list[Thing] = []
        for base in self.bases(entity, depth + 1):
            above += self.member(base, name, depth + 1)
            if any(item.kind == "def" for item in above):
                break
        if any(item.kind == "def" for item in above):
            return tuple(item for item in dict.fromkeys(above) if item.kind == "def")
        return tuple(dict.fromkeys(above))

    def bases(self, entity: Thing, depth: int = 0) -> Things:
        """Return the base types in source order; EXTERNAL for external ones."""
        return self._once(("bases", entity.path, entity.position), depth, lambda: self._bases(entity, depth))

    def _bases(self, entity: Thing, depth: int) -> Things:
        found: list[Thing] = []
        for part in self.spread(entity):
            found += self._written_bases(part, depth)
        return self.mixed_first(tuple(dict.fromkeys(one for one in found if one != entity)))

    def _written_bases(self, entity: Thing, depth: int) -> list[Thing]:
        scope = self.scope(entity.path)
        found: list[Thing] = []
        for position in self.blocks(entity):
            for item in scope.bases.get(position, ()):
                around = scope.definitions[position].parent
                if item.receiver and item.receiver not in (LOCAL, UNKNOWN):
                    entities = self._all(
                        self.member(base, item.name, depth + 1)
                        for base in self.evaluate(entity.path, around, item.receiver, depth + 1)
                    )
                else:
                    entities = self.type_named(entity.path, around, item.name, depth + 1)
                found += [self._as_type(one, depth) for one in entities]
        return found

    def around(self, path: str, owner: int) -> Things:
        """Return the type a definition belongs to: the enclosing one, the implemented one, or its receiver's."""
        scope = self.scope(path)
        position = scope.type_around(owner)
        if scope.rule.receivers and (found := self.received(path, owner, position)):
            return found
        while position >= 0 and scope.definitions[position].kind == "type" and position not in scope.holders:
            position = scope.type_around(scope.definitions[position].parent)  # an alias has no members
        if position >= 0 and scope.definitions[position].kind != "impl":
            return (Thing("instance", path, position),)
        name = scope.definitions[position].name if position >= 0 else ""
        if scope.rule.reach == "includes":
            return self.outer_type(path, scope.functions(owner))
        if scope.rule.blocks and name:
            return tuple(as_instance(entity) for entity in self.block_type(path, position))
        if not name:
            method = next((at for at in scope.functions(owner) if scope.definitions[at].scope), -1)
            name = last_part(scope.definitions[method].scope) if method >= 0 else ""
        if not name:
            return ()
        around = scope.definitions[position].parent if position >= 0 else -1
        return tuple(
            Thing("instance", entity.path, entity.position)
            for entity in self.named(path, around, name)
            if entity.kind == "def"
        )

    # -- values ----------------------------------------------------------------------------------------------------

    def evaluate(self, path: str, owner: int, text: str, depth: int = 0, at: int = 0) -> Things:
        """Evaluate a chain of names; `at` is the position in its function, as in `_resolve_local`."""
        if text in (UNKNOWN, LOCAL) or depth > MAX_DEPTH:
            return ()
        key = ("evaluate", path, owner, text, at)
        return self._once(key, depth, lambda: self._evaluate(path, owner, text, depth, at))

    def _evaluate(self, path: str, owner: int, text: str, depth: int, at: int) -> Things:
        if text.startswith(LITERAL):
            return (EXTERNAL,)
        bound, text = text.startswith(LOCAL), text.removeprefix(LOCAL)
        rule = self.scope(path).rule
        text = text if rule.bare_calls else text.replace("!", "")  # the non-null operator
        entities: Things = ()
        before: Things = ()
        for number, step in enumerate(_STEP.finditer(text)):
            name, suffix = step.groups()
            if number == 0 and name + suffix in rule.super_words:
                entities = self._all(self.parents(entity, depth + 1) for entity in self.around(path, owner))
                entities, suffix = tuple(as_instance(entity) for entity in entities), ""
            elif number == 0 and name in rule.self_words:
                entities = self.around(path, owner)
            elif number == 0:
                entities = self._head(path, owner, name, depth + 1, at if bound else -1)
            else:
                before = entities
                entities = self._all(self._step(entity, name, depth + 1) for entity in entities)
                entities = self.extended(path, owner, name, before, entities)
                entities, suffix = self._through(rule, name, suffix, before, entities, depth)
            if rule.bare_calls and "()" not in suffix:
                entities = self._all(
                    self.called(one, depth + 1) if self.is_function(one) else (one,) for one in entities
                )
            for _ in range(suffix.count("()")):
                entities = self._all(self.late(one, before) or self._result(one, name, depth + 1) for one in entities)
                before = ()
            for _ in range(suffix.count("[]")):
                entities = self._all(self.item(entity, depth + 1) for entity in entities)
            if not entities:
                return ()
        return self._all(self.value_of(entity, depth + 1) for entity in entities)

    def _head(self, path: str, owner: int, name: str, depth: int, at: int) -> Things:
        """Resolve the first name of a chain; a local one (`at` ≥ 0) refers to its binding, known or not."""
        if at >= 0:
            return self._local(path, owner, name, depth, at)
        return self.first_named(path, owner, name, depth)

    def _result(self, entity: Thing, name: str, depth: int) -> Things:
        """Evaluate a call; by convention a capitalised external name is a type, other external calls are unknown."""
        if entity.kind == "external" or (entity.kind == "module" and entity.text):
            last = name[name.rfind("\\") + 1 :]
            return (EXTERNAL._replace(text=last),) if last[:1].isupper() else ()
        if entity.kind == "instance" and name in self.scope(entity.path).rule.self_types:
            return (entity,)
        return self.called(entity, depth)

    def _step(self, entity: Thing, name: str, depth: int) -> Things:
        """Evaluate a member; without a definition, return what was assigned to it."""
        if entity.kind == "def":
            entities = self.value_of(entity, depth + 1)
            if entities != (entity,):
                return self._all(self._step(value, name, depth + 1) for value in entities)
        rule = self.scope(entity.path).rule if entity.kind == "def" else None
        if rule is not None and (name in rule.makers or name == rule.inner_word):
            return (entity,)
        if entity.kind == "def" and name in self.scope(entity.path).rule.self_words:
            return (as_instance(entity),)  # the instance of an enclosing type
        found = self.member(entity, name, depth)
        if any(item.kind == "def" for item in found) or entity.kind not in ("def", "instance"):
            return found
        return self.bound_member(entity, name, depth) or found

    def bound_member(self, entity: Thing, name: str, depth: int) -> Things:
        for part in self.parts(entity):
            bound = self.scope(part.path).bindings.get((part.position, "." + name))
            if bound:
                return self.values(part.path, bound, depth + 1)
        for base in self.bases(entity, depth + 1):
            if base.kind in ("def", "instance") and depth < MAX_DEPTH:
                found = self.bound_member(base, name, depth + 1)
                if found:
                    return found
        return ()

    def value_of(self, entity: Thing, depth: int = 0) -> Things:
        """Evaluate a definition: a variable to its value, everything else to itself."""
        if entity.kind != "def" or depth > MAX_DEPTH:
            return (entity,) if entity.kind != "def" else ()
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind not in VALUES:
            return (entity,)
        home = scope.home(entity.position)
        if item.kind == "property":
            found = self.called(entity, depth + 1)
            if found:
                return found
        if home >= 0 and scope.definitions[home].kind == "enum":
            return (Thing("instance", entity.path, home),)
        prefix = scope.rule.member_prefix
        keys = ("." + item.name, item.name, f".{prefix}{item.name}")
        outer = -1 if home >= 0 and scope.definitions[home].kind == "mod" else home
        bound = next((known for key in keys if (known := scope.bindings.get((outer, key)))), [])
        found = self.values(entity.path, bound, depth + 1, home)
        # An object literal carries its members itself.
        return found or ((entity,) if entity.position in scope.holders or self.lent(entity) else ())

    def values(self, path: str, bound: list[Binding], depth: int, place: int = -1) -> Things:
        """Evaluate bindings: declared types first, values only if there is no declared type."""
        if depth > MAX_DEPTH:
            return ()
        typed = [item for item in bound if item.how == "type"]
        if not typed and any(item.how == "test" for item in bound):
            return self.tested(path, bound, depth, place)
        found: list[Thing] = []
        for item in typed or bound:
            # Resolve the types of members inside their type.
            around = item.owner if item.scope < 0 and item.name.startswith(".") else item.scope
            around = around if around >= 0 else place
            if item.how == "type":
                found += self.typed(path, around, item.text, depth + 1)
            else:
                at = 2 * item.line if item.until else 0
                values = self.evaluate(path, around, item.text, depth + 1, at)
                if item.how == "item":
                    values = self._all(self.item(entity, depth + 1) for entity in values)
                found += values
        return tuple(dict.fromkeys(found))[:MAX_SEEN]

    def typed(self, path: str, scope_at: int, text: str, depth: int = 0) -> Things:
        """Return instances of a written type."""
        rule = self.scope(path).rule
        found: list[Thing] = []
        for name, arguments, many in alternatives(text):
            last = name.rpartition(".")[2]
            if many:
                found.append(Thing("collection", path, scope_at, name))
            elif last in rule.unwrap and arguments and not self._is_own(path, scope_at, name, depth):
                found += self.typed(path, scope_at, arguments[0], depth + 1)
            elif last in rule.containers and arguments and not self._is_own(path, scope_at, name, depth):
                found.append(Thing("collection", path, scope_at, arguments[-1]))
            elif name in rule.self_types:
                found += self.around(path, scope_at)
            else:
                entities = self._type_named(path, scope_at, name, depth)
                if (rule.extension_mark or rule.receivers or rule.blocks) and entities == (EXTERNAL,):
                    entities = (EXTERNAL._replace(text=last),)  # the repository may define extensions of it
                found += [as_instance(entity) for entity in entities]
        return tuple(dict.fromkeys(found))

    def _is_own(self, path: str, scope_at: int, name: str, depth: int) -> bool:
        """Return whether a wrapper type is defined in the repository, with members of its own."""
        return any(entity.kind == "def" for entity in self._type_named(path, scope_at, name, depth))

    def _type_named(self, path: str, scope_at: int, name: str, depth: int) -> Things:
        head, *rest = name.split(".")
        look = self.head_named if rest else self.type_named
        entities = self.sorted_out(path, self.spaced(path, look(path, scope_at, head, depth + 1)), types=True)
        if entities in ((), (EXTERNAL,)) and _PARAMETER.fullmatch(head) and head not in self.scope(path).imports:
            # Most likely a type parameter, which can be anything that its bounds allow.
            return self._local(path, scope_at, head, depth + 1)
        for part in rest:
            entities = self._all(self.member(entity, part, depth + 1) for entity in entities)
        return tuple(self._as_type(entity, depth) for entity in entities)

    def called(self, entity: Thing, depth: int = 0) -> Things:
        """Return the result of calling an entity."""
        if entity.kind != "def" or depth > MAX_DEPTH:
            return (EXTERNAL,) if entity.kind == "external" else ()
        scope = self.scope(entity.path)
        item = scope.definitions[entity.position]
        if item.kind in NAMED_TYPES:
            return (Thing("instance", entity.path, entity.position),)
        if item.kind in VALUES and item.kind != "property":
            home = scope.home(entity.position)
            if home >= 0 and scope.definitions[home].kind == "enum":
                return (Thing("instance", entity.path, home),)
            values = tuple(value for value in self.value_of(entity, depth + 1) if value != entity)
            if scope.rule.field_accessors:
                return values
            return self._all(self.called(value, depth + 1) for value in values)
        bound = scope.bindings.get((entity.position, "()"), [])
        if not bound and self.lent(entity):
            return (Thing("instance", entity.path, entity.position),)
        return self.values(entity.path, bound, depth + 1) if bound else self.result_of_twins(entity, depth)

    def item(self, entity: Thing, depth: int) -> Things:
        """Return the item of a collection."""
        if entity.kind == "collection":
            return self.typed(entity.path, entity.position, entity.text, depth + 1)
        if entity.kind in ("def", "instance") and self.scope(entity.path).rule.pointers:
            return self.pointed(entity, depth)
        if entity.kind == "external":
            return (EXTERNAL,)
        if depth > MAX_DEPTH or entity.kind not in ("def", "instance"):
            return ()
        behind = self.aliased(entity, depth) if entity.kind == "instance" else self.value_of(entity, depth + 1)
        return self._all(self.item(one, depth + 1) for one in behind if one != entity)
