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
from codecompass.languages.language_spec import ResolveRule
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
        things = self.evaluate(path, owner, receiver, 0, 2 * line + 1 if receiver.startswith(LOCAL) else 0)
        found = self._all(self.member(thing, name) for thing in things)
        found = self.meant(path, role, self.extended(path, owner, name, things, found))
        return self._outcome(self.fitting(role, found))

    def _outcome(self, things: Iterable[Thing], *, bound: bool = False) -> Outcome:
        things = tuple(dict.fromkeys(things))
        places = tuple((thing.path, thing.position) for thing in things if thing.kind == "def")
        if places:
            logical = {self.logical(*place) for place in places}
            return Outcome("resolved" if len(logical) == 1 else "ambiguous", self.with_twins(places))
        known = bound or any(thing.kind in ("external", "module", "instance", "many") for thing in things)
        return Outcome("external" if known else "unresolved")

    def _import_mention(self, path: str, name: str, line: int) -> Things:
        found: list[Thing] = []
        imports = self.scope(path).facts.imports
        for item in [item for item in imports if item.line == line] or imports:
            if abs(item.line - line) <= 200 and (item.name == name or (item.alias == name and item.name == "default")):
                found += self._imported(path, item, 0)
            elif not item.name and (item.module == name or item.module.split(".")[-1].endswith(name)):
                found += self._imported(path, item, 0)
        return tuple(dict.fromkeys(found))

    # -- members ---------------------------------------------------------------------------------------------------

    def member(self, thing: Thing, name: str, depth: int = 0) -> Things:
        """Resolve `name` as a member of an entity."""
        if thing.kind == "external" or depth > MAX_DEPTH:
            return (EXTERNAL,) if thing.kind == "external" else ()
        if thing.kind == "module":
            return self._exported(thing, name, depth + 1)
        if thing.kind == "many":
            return (EXTERNAL,)
        if thing.kind == "space":
            return self.spaced(thing.path, self.linkage.named(thing.path, [thing.text], name))
        item = self.scope(thing.path).definitions[thing.position]
        inside = self.scope(thing.path).children.get((thing.position, name))
        if thing.kind == "def" and inside and item.kind not in FUNCTIONS:
            return defs(thing.path, inside)
        if thing.kind == "def" and item.kind in VALUES:
            own = self.lent(thing).get(name)
            if own:
                return defs(thing.path, own)
            return self._all(self.member(value, name, depth + 1) for value in self.value_of(thing, depth + 1))
        if thing.kind == "def" and item.kind in FUNCTIONS:
            return defs(thing.path, self.lent(thing).get(name, ()))
        if item.kind == "mod" and self.scope(thing.path).rule.module_words:
            return self._once(("inside", thing, name), depth, lambda: self.inside_module(thing, name, depth))
        return self._once(("member", thing.path, thing.position, name), depth, lambda: self._member(thing, name, depth))

    def _member(self, thing: Thing, name: str, depth: int) -> Things:
        scope = self.scope(thing.path)
        own = [at for block in self.blocks(thing) for at in scope.children.get((block, name), ())]
        found = list(defs(thing.path, own or self.lent(thing).get(name, ())))
        if not found and scope.rule.open_types:
            found = self._elsewhere(thing, name)
        if found:
            return tuple(found)
        aliased = self._all(self.member(one, name, depth + 1) for one in self.aliased(thing, depth) if one != thing)
        if aliased:
            return aliased
        above: list[Thing] = []
        for base in self.bases(thing, depth + 1):
            above += self.member(base, name, depth + 1)
            if any(item.kind == "def" for item in above):
                break
        if any(item.kind == "def" for item in above):
            return tuple(item for item in dict.fromkeys(above) if item.kind == "def")
        return tuple(dict.fromkeys(above))

    def _elsewhere(self, thing: Thing, name: str) -> list[Thing]:
        """Return members defined outside the body of a type: in other blocks or parts, or with a receiver."""
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if scope.rule.namespaces:
            around = self.full_name(thing.path, thing.position) if scope.rule.blocks or self.is_open(thing) else ""
            return self.declared(scope.rule.imports, around, name) if around else []
        found = []
        near = thing.path.rpartition("/")[0] if scope.rule.reach == "directory" else None
        for path, position in self.definitions_named(name, near):
            other = self.scope(path)
            if other.rule.imports != scope.rule.imports or last_part(other.definitions[position].scope) != item.name:
                continue
            if path == thing.path or Thing("def", thing.path, thing.position) in self.named(path, -1, item.name):
                found.append(Thing("def", path, position))
        return found[:MAX_SEEN]

    def bases(self, thing: Thing, depth: int = 0) -> Things:
        """Return the base types in source order; EXTERNAL for external ones."""
        return self._once(("bases", thing.path, thing.position), depth, lambda: self._bases(thing, depth))

    def _bases(self, thing: Thing, depth: int) -> Things:
        found: list[Thing] = []
        for part in self.spread(thing):
            found += self._written_bases(part, depth)
        return self.mixed_first(tuple(dict.fromkeys(one for one in found if one != thing)))

    def _written_bases(self, thing: Thing, depth: int) -> list[Thing]:
        scope = self.scope(thing.path)
        found: list[Thing] = []
        for position in self.blocks(thing):
            for item in scope.bases.get(position, ()):
                around = scope.definitions[position].parent
                if item.receiver and item.receiver not in (LOCAL, UNKNOWN):
                    things = self._all(
                        self.member(base, item.name, depth + 1)
                        for base in self.evaluate(thing.path, around, item.receiver, depth + 1)
                    )
                else:
                    things = self.type_named(thing.path, around, item.name, depth + 1)
                found += [self._as_type(one, depth) for one in things]
        return found

    def _as_type(self, thing: Thing, depth: int) -> Thing:
        """Replace a variable that holds a type by that type."""
        if thing.kind == "def" and self.scope(thing.path).definitions[thing.position].kind in VALUES:
            return next(iter(self.value_of(thing, depth + 1)), thing)
        return thing

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
            return tuple(as_instance(thing) for thing in self.block_type(path, position))
        if not name:
            method = next((at for at in scope.functions(owner) if scope.definitions[at].scope), -1)
            name = last_part(scope.definitions[method].scope) if method >= 0 else ""
        if not name:
            return ()
        around = scope.definitions[position].parent if position >= 0 else -1
        return tuple(
            Thing("instance", thing.path, thing.position)
            for thing in self.named(path, around, name)
            if thing.kind == "def"
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
        things: Things = ()
        before: Things = ()
        for number, step in enumerate(_STEP.finditer(text)):
            name, suffix = step.groups()
            if number == 0 and name + suffix in rule.super_words:
                things = self._all(self.parents(thing, depth + 1) for thing in self.around(path, owner))
                things, suffix = tuple(as_instance(thing) for thing in things), ""
            elif number == 0 and name in rule.self_words:
                things = self.around(path, owner)
            elif number == 0:
                things = self._head(path, owner, name, depth + 1, at if bound else -1)
            else:
                before = things
                things = self._all(self._step(thing, name, depth + 1) for thing in things)
                things = self.extended(path, owner, name, before, things)
                things, suffix = self._through(rule, name, suffix, before, things, depth)
            if rule.bare_calls and "()" not in suffix:
                things = self._all(self.called(one, depth + 1) if self.is_function(one) else (one,) for one in things)
            for _ in range(suffix.count("()")):
                things = self._all(self.late(one, before) or self._result(one, name, depth + 1) for one in things)
                before = ()
            for _ in range(suffix.count("[]")):
                things = self._all(self.item(thing, depth + 1) for thing in things)
            if not things:
                return ()
        return self._all(self.value_of(thing, depth + 1) for thing in things)

    def _head(self, path: str, owner: int, name: str, depth: int, at: int) -> Things:
        """Resolve the first name of a chain; a local one (`at` ≥ 0) refers to its binding, known or not."""
        if at >= 0:
            return self._local(path, owner, name, depth, at)
        return self.first_named(path, owner, name, depth)

    def _result(self, thing: Thing, name: str, depth: int) -> Things:
        """Evaluate a call; by convention a capitalised external name is a type, other external calls are unknown."""
        if thing.kind == "external" or (thing.kind == "module" and thing.text):
            last = name[name.rfind("\\") + 1 :]
            return (EXTERNAL._replace(text=last),) if last[:1].isupper() else ()
        if thing.kind == "instance" and name in self.scope(thing.path).rule.self_types:
            return (thing,)
        return self.called(thing, depth)

    def _step(self, thing: Thing, name: str, depth: int) -> Things:
        """Evaluate a member; without a definition, return what was assigned to it."""
        if thing.kind == "def":
            things = self.value_of(thing, depth + 1)
            if things != (thing,):
                return self._all(self._step(value, name, depth + 1) for value in things)
        rule = self.scope(thing.path).rule if thing.kind == "def" else None
        if rule is not None and (name in rule.makers or name == rule.inner_word):
            return (thing,)
        if thing.kind == "def" and name in self.scope(thing.path).rule.self_words:
            return (as_instance(thing),)  # the instance of an enclosing type
        found = self.member(thing, name, depth)
        if any(item.kind == "def" for item in found) or thing.kind not in ("def", "instance"):
            return found
        return self.bound_member(thing, name, depth) or found

    def _through(
        self, rule: ResolveRule, name: str, suffix: str, before: Things, found: Things, depth: int
    ) -> tuple[Things, str]:
        """Evaluate members of all types that return the object itself or one of its items."""
        if name not in (*rule.transparent, *rule.item_members) or any(thing.kind == "def" for thing in found):
            return found, suffix
        own = self._all(self.value_of(thing, depth + 1) for thing in before)
        if name in rule.item_members:
            own = self._all(self.item(thing, depth + 1) for thing in own if thing.kind == "many")
        if not own or EXTERNAL in own:
            return found, suffix
        return own, suffix.replace("()", "", 1)

    def bound_member(self, thing: Thing, name: str, depth: int) -> Things:
        for part in self.parts(thing):
            bound = self.scope(part.path).bindings.get((part.position, "." + name))
            if bound:
                return self.values(part.path, bound, depth + 1)
        for base in self.bases(thing, depth + 1):
            if base.kind in ("def", "instance") and depth < MAX_DEPTH:
                found = self.bound_member(base, name, depth + 1)
                if found:
                    return found
        return ()

    def value_of(self, thing: Thing, depth: int = 0) -> Things:
        """Evaluate a definition: a variable to its value, everything else to itself."""
        if thing.kind != "def" or depth > MAX_DEPTH:
            return (thing,) if thing.kind != "def" else ()
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if item.kind not in VALUES:
            return (thing,)
        home = scope.home(thing.position)
        if item.kind == "property":
            found = self.called(thing, depth + 1)
            if found:
                return found
        if home >= 0 and scope.definitions[home].kind == "enum":
            return (Thing("instance", thing.path, home),)
        prefix = scope.rule.member_prefix
        keys = ("." + item.name, item.name, f".{prefix}{item.name}")
        outer = -1 if home >= 0 and scope.definitions[home].kind == "mod" else home
        bound = next((known for key in keys if (known := scope.bindings.get((outer, key)))), [])
        found = self.values(thing.path, bound, depth + 1, home)
        # An object literal carries its members itself.
        return found or ((thing,) if thing.position in scope.holders or self.lent(thing) else ())

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
                    values = self._all(self.item(thing, depth + 1) for thing in values)
                found += values
        return tuple(dict.fromkeys(found))[:MAX_SEEN]

    def typed(self, path: str, scope_at: int, text: str, depth: int = 0) -> Things:
        """Return instances of a written type."""
        rule = self.scope(path).rule
        found: list[Thing] = []
        for name, arguments, many in alternatives(text):
            last = name.rpartition(".")[2]
            if many:
                found.append(Thing("many", path, scope_at, name))
            elif last in rule.unwrap and arguments and not self._is_own(path, scope_at, name, depth):
                found += self.typed(path, scope_at, arguments[0], depth + 1)
            elif last in rule.containers and arguments and not self._is_own(path, scope_at, name, depth):
                found.append(Thing("many", path, scope_at, arguments[-1]))
            elif name in rule.self_types:
                found += self.around(path, scope_at)
            else:
                things = self._type_named(path, scope_at, name, depth)
                if (rule.extension_mark or rule.receivers or rule.blocks) and things == (EXTERNAL,):
                    things = (EXTERNAL._replace(text=last),)  # the repository may define extensions of it
                found += [as_instance(thing) for thing in things]
        return tuple(dict.fromkeys(found))

    def _is_own(self, path: str, scope_at: int, name: str, depth: int) -> bool:
        """Return whether a wrapper type is defined in the repository, with members of its own."""
        return any(thing.kind == "def" for thing in self._type_named(path, scope_at, name, depth))

    def _type_named(self, path: str, scope_at: int, name: str, depth: int) -> Things:
        head, *rest = name.split(".")
        look = self.head_named if rest else self.type_named
        things = self.sorted_out(path, self.spaced(path, look(path, scope_at, head, depth + 1)), types=True)
        if things in ((), (EXTERNAL,)) and _PARAMETER.fullmatch(head) and head not in self.scope(path).imports:
            # Most likely a type parameter, which can be anything that its bounds allow.
            return self._local(path, scope_at, head, depth + 1)
        for part in rest:
            things = self._all(self.member(thing, part, depth + 1) for thing in things)
        return tuple(self._as_type(thing, depth) for thing in things)

    def called(self, thing: Thing, depth: int = 0) -> Things:
        """Return the result of calling an entity."""
        if thing.kind != "def" or depth > MAX_DEPTH:
            return (EXTERNAL,) if thing.kind == "external" else ()
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if item.kind in NAMED_TYPES:
            return (Thing("instance", thing.path, thing.position),)
        if item.kind in VALUES and item.kind != "property":
            home = scope.home(thing.position)
            if home >= 0 and scope.definitions[home].kind == "enum":
                return (Thing("instance", thing.path, home),)
            values = tuple(value for value in self.value_of(thing, depth + 1) if value != thing)
            if scope.rule.field_accessors:
                return values
            return self._all(self.called(value, depth + 1) for value in values)
        bound = scope.bindings.get((thing.position, "()"), [])
        if not bound and self.lent(thing):
            return (Thing("instance", thing.path, thing.position),)
        return self.values(thing.path, bound, depth + 1) if bound else self.result_of_twins(thing, depth)

    def item(self, thing: Thing, depth: int) -> Things:
        """Return the item of a collection."""
        if thing.kind == "many":
            return self.typed(thing.path, thing.position, thing.text, depth + 1)
        if thing.kind in ("def", "instance") and self.scope(thing.path).rule.pointers:
            return self.pointed(thing, depth)
        if thing.kind == "external":
            return (EXTERNAL,)
        if depth > MAX_DEPTH or thing.kind not in ("def", "instance"):
            return ()
        behind = self.aliased(thing, depth) if thing.kind == "instance" else self.value_of(thing, depth + 1)
        return self._all(self.item(one, depth + 1) for one in behind if one != thing)
