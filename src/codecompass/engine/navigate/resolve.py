"""Resolver: what a mention of a name means, by the scopes, imports and types of its language; never by likeness.

A bare name is looked up outwards from where it stands: functions around it, members of the type around (where the
language sees them), the file, its imports, and what else the file can see. A name after a receiver is a member of
what the receiver's chain of names evaluates to. Whatever cannot be followed stays unresolved.
"""

import re
from collections.abc import Iterable

from codecompass.engine.navigate.lookup import MAX_DEPTH, MAX_SEEN, NAMED_TYPES, Lookup, as_instance, defs, last_part
from codecompass.engine.navigate.things import EXTERNAL, Outcome, Thing, Things
from codecompass.engine.navigate.typetext import alternatives
from codecompass.languages.chains import LITERAL, LOCAL, UNKNOWN
from codecompass.languages.nesting import FUNCTIONS
from codecompass.model.code import Binding

_STEP = re.compile(r"\.?([^.\[(]+)((?:\(\)|\[\])*)")
_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?|_?T[A-Z]?\w*")
_VALUES = frozenset({"var", "const", "field", "property"})


class Resolver(Lookup):
    """Reads one view; lives as long as the call that pinned it."""

    # -- mentions --------------------------------------------------------------------------------------------------

    def resolve(self, path: str, role: str, name: str, owner: int, receiver: str, line: int) -> Outcome:
        """What one mention means."""
        if receiver == LOCAL:
            return self._outcome(self._local(path, owner, name, 0), bound=True)
        if role == "import":
            return self._outcome(self._import_mention(path, name, line))
        if not receiver:
            return self._outcome(self.named(path, owner, name))
        found: list[Thing] = []
        for thing in self.evaluate(path, owner, receiver):
            found += self.member(thing, name)
        return self._outcome(tuple(found))

    def _outcome(self, things: Iterable[Thing], *, bound: bool = False) -> Outcome:
        things = tuple(dict.fromkeys(things))
        places = tuple((thing.path, thing.position) for thing in things if thing.kind == "def")
        if places:
            logical = {self._logical(*place) for place in places}
            return Outcome("resolved" if len(logical) == 1 else "ambiguous", places)
        known = bound or any(thing.kind in ("external", "module", "instance", "many") for thing in things)
        return Outcome("external" if known else "unresolved")

    def _logical(self, path: str, position: int) -> tuple[str, int, str]:
        """Overloads, and the getter and setter of a property, are one thing."""
        scope = self.scope(path)
        return path, scope.home(position), scope.definitions[position].name

    def _import_mention(self, path: str, name: str, line: int) -> Things:
        found: list[Thing] = []
        for item in self.scope(path).facts.imports:
            if abs(item.line - line) <= 200 and (item.name == name or (item.alias == name and item.name == "default")):
                found += self._imported(path, item, 0)
            elif not item.name and item.module.split(".")[-1].endswith(name):
                found += self._imported(path, item, 0)
        return tuple(dict.fromkeys(found))

    # -- members ---------------------------------------------------------------------------------------------------

    def member(self, thing: Thing, name: str, depth: int = 0) -> Things:
        """What `name` after a thing means."""
        if thing.kind == "external" or depth > MAX_DEPTH:
            return (EXTERNAL,) if thing.kind == "external" else ()
        if thing.kind == "module":
            return self._exported(thing, name, depth + 1)
        if thing.kind == "many":
            return (EXTERNAL,)
        item = self.scope(thing.path).definitions[thing.position]
        inside = self.scope(thing.path).children.get((thing.position, name))
        if thing.kind == "def" and inside and item.kind not in FUNCTIONS:
            return defs(thing.path, inside)
        if thing.kind == "def" and item.kind in _VALUES:
            return self._all(self.member(value, name, depth + 1) for value in self.value_of(thing, depth + 1))
        if thing.kind == "def" and item.kind in FUNCTIONS:
            return ()
        return self._once(("member", thing.path, thing.position, name), depth, lambda: self._member(thing, name, depth))

    def _member(self, thing: Thing, name: str, depth: int) -> Things:
        scope = self.scope(thing.path)
        own = scope.children.get((thing.position, name), [])
        found = list(defs(thing.path, own))
        if not found and scope.rule.open_types:
            found = self._elsewhere(thing, name)
        if found:
            return tuple(found)
        above: list[Thing] = []
        for base in self.bases(thing, depth + 1):
            above += self.member(base, name, depth + 1)
            if any(item.kind == "def" for item in above):
                break
        if any(item.kind == "def" for item in above):
            return tuple(item for item in dict.fromkeys(above) if item.kind == "def")
        return tuple(dict.fromkeys(above))

    def _elsewhere(self, thing: Thing, name: str) -> list[Thing]:
        """Members of a type that stand outside its body: further blocks, methods with a receiver, other parts."""
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        found = []
        for row in self.view.snapshot.symbols_named(name.casefold(), prefix=False, limit=MAX_SEEN * 50):
            if row.name != name:
                continue
            for path in self.view.paths.get(row.blob, ()):
                other = self.scope(path)
                if other.rule.imports != scope.rule.imports:
                    continue
                last = last_part(other.definitions[row.position].scope)
                if last == item.name and (path == thing.path or thing in self.named(path, -1, item.name)):
                    found.append(Thing("def", path, row.position))
        return found[:MAX_SEEN]

    def bases(self, thing: Thing, depth: int = 0) -> Things:
        """The types a type inherits from, in the order written; EXTERNAL for those outside."""
        return self._once(("bases", thing.path, thing.position), depth, lambda: self._bases(thing, depth))

    def _bases(self, thing: Thing, depth: int) -> Things:
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
                    things = self.named(thing.path, around, item.name, depth + 1)
                found += [self._as_type(one, depth) for one in things]
        return tuple(dict.fromkeys(one for one in found if one != thing))

    def blocks(self, thing: Thing) -> list[int]:
        """The positions that speak of a type in its own file: itself, and blocks that implement it."""
        scope = self.scope(thing.path)
        name = scope.definitions[thing.position].name
        more = [at for at, item in enumerate(scope.definitions) if item.kind == "impl" and item.name == name]
        return [thing.position, *more]

    def _as_type(self, thing: Thing, depth: int) -> Thing:
        """A variable that holds a type stands for that type."""
        if thing.kind == "def" and self.scope(thing.path).definitions[thing.position].kind in _VALUES:
            return next(iter(self.value_of(thing, depth + 1)), thing)
        return thing

    def around(self, path: str, owner: int) -> Things:
        """The type that a place belongs to: the one around it, the one it implements, or its receiver's."""
        scope = self.scope(path)
        position = scope.type_around(owner)
        if position >= 0 and scope.definitions[position].kind != "impl":
            return (Thing("instance", path, position),)
        name = scope.definitions[position].name if position >= 0 else ""
        if not name:
            method = next((at for at in scope.functions(owner) if scope.definitions[at].scope), -1)
            name = last_part(scope.definitions[method].scope) if method >= 0 else ""
        if not name:
            return ()
        return tuple(
            Thing("instance", thing.path, thing.position)
            for thing in self.named(path, -1, name)
            if thing.kind == "def"
        )

    # -- values ----------------------------------------------------------------------------------------------------

    def evaluate(self, path: str, owner: int, text: str, depth: int = 0) -> Things:
        """What a chain of names stands for at a place."""
        if text in (UNKNOWN, LOCAL) or depth > MAX_DEPTH:
            return ()
        key = ("evaluate", path, owner, text)
        return self._once(key, depth, lambda: self._evaluate(path, owner, text, depth))

    def _evaluate(self, path: str, owner: int, text: str, depth: int) -> Things:
        if text.startswith(LITERAL):
            return (EXTERNAL,)
        bound, text = text.startswith(LOCAL), text.removeprefix(LOCAL)
        rule = self.scope(path).rule
        things: Things = ()
        for number, step in enumerate(_STEP.finditer(text)):
            name, suffix = step.groups()
            if number == 0 and name + suffix in rule.super_words:
                things = self._all(self.bases(thing, depth + 1) for thing in self.around(path, owner))
                things, suffix = tuple(as_instance(thing) for thing in things), ""
            elif number == 0 and name in rule.self_words:
                things = self.around(path, owner)
            elif number == 0:
                things = self._head(path, owner, name, depth + 1, bound=bound)
            else:
                things = self._all(self._step(thing, name, depth + 1) for thing in things)
            for _ in range(suffix.count("()")):
                things = self._all(self._result(thing, name, depth + 1) for thing in things)
            for _ in range(suffix.count("[]")):
                things = self._all(self._item(thing, depth + 1) for thing in things)
            if not things:
                return ()
        return self._all(self.value_of(thing, depth + 1) for thing in things)

    def _head(self, path: str, owner: int, name: str, depth: int, *, bound: bool) -> Things:
        """The first name of a chain; one that is bound in a function means that binding, known or not."""
        return self._local(path, owner, name, depth) if bound else self.named(path, owner, name, depth)

    def _result(self, thing: Thing, name: str, depth: int) -> Things:
        """What a call gives. Of a function outside nothing is known; a capitalised name there is a type by custom."""
        if thing.kind == "external" and not name[:1].isupper():
            return ()
        return self.called(thing, depth)

    def _step(self, thing: Thing, name: str, depth: int) -> Things:
        """A member as a value: where no definition says more, what was once bound to it."""
        if thing.kind == "def":
            things = self.value_of(thing, depth + 1)
            if things != (thing,):
                return self._all(self._step(value, name, depth + 1) for value in things)
        if name in self._makers(thing) and thing.kind == "def":
            return (thing,)
        found = self.member(thing, name, depth)
        if any(item.kind == "def" for item in found) or thing.kind not in ("def", "instance"):
            return found
        return self._bound_member(thing, name, depth) or found

    def _makers(self, thing: Thing) -> tuple[str, ...]:
        return self.scope(thing.path).rule.makers if thing.path and thing.kind == "def" else ()

    def _bound_member(self, thing: Thing, name: str, depth: int) -> Things:
        scope = self.scope(thing.path)
        bound = scope.bindings.get((thing.position, "." + name))
        if bound:
            return self.values(thing.path, bound, depth + 1)
        for base in self.bases(thing, depth + 1):
            if base.kind in ("def", "instance") and depth < MAX_DEPTH:
                found = self._bound_member(base, name, depth + 1)
                if found:
                    return found
        return ()

    def value_of(self, thing: Thing, depth: int = 0) -> Things:
        """What a definition stands for: a variable for its value, everything else for itself."""
        if thing.kind != "def" or depth > MAX_DEPTH:
            return (thing,) if thing.kind != "def" else ()
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if item.kind not in _VALUES:
            return (thing,)
        home = scope.home(thing.position)
        if item.kind == "property":
            found = self.called(thing, depth + 1)
            if found:
                return found
        if home >= 0 and scope.definitions[home].kind == "enum":
            return (Thing("instance", thing.path, home),)
        bound = scope.bindings.get((home, "." + item.name)) or scope.bindings.get((home, item.name)) or []
        found = self.values(thing.path, bound, depth + 1)
        # An object written out in full is what its members hang on.
        return found or ((thing,) if thing.position in scope.holders else ())

    def values(self, path: str, bound: list[Binding], depth: int) -> Things:
        """What bindings say: types as written first; values only where no type is."""
        if depth > MAX_DEPTH:
            return ()
        typed = [item for item in bound if item.how == "type"]
        found: list[Thing] = []
        for item in typed or bound:
            if item.how == "type":
                found += self.typed(path, item.scope, item.text, depth + 1)
            else:
                values = self.evaluate(path, item.scope, item.text, depth + 1)
                if item.how == "item":
                    values = self._all(self._item(thing, depth + 1) for thing in values)
                found += values
        return tuple(dict.fromkeys(found))[:MAX_SEEN]

    def typed(self, path: str, scope_at: int, text: str, depth: int = 0) -> Things:
        """Objects of a type, from the type as written."""
        rule = self.scope(path).rule
        found: list[Thing] = []
        for name, arguments, many in alternatives(text):
            last = name.rpartition(".")[2]
            if many:
                inner = f"{name}<{', '.join(arguments)}>" if arguments else name
                found.append(Thing("many", path, scope_at, inner))
            elif last in rule.unwrap and arguments:
                found += self.typed(path, scope_at, arguments[0], depth + 1)
            elif last in rule.containers and arguments:
                found.append(Thing("many", path, scope_at, arguments[-1]))
            elif name in rule.self_types:
                found += self.around(path, scope_at)
            else:
                found += [as_instance(thing) for thing in self._type_named(path, scope_at, name, depth)]
        return tuple(dict.fromkeys(found))

    def _type_named(self, path: str, scope_at: int, name: str, depth: int) -> Things:
        head, *rest = name.split(".")
        things = self.named(path, scope_at, head, depth + 1)
        if things == (EXTERNAL,) and _PARAMETER.fullmatch(head) and head not in self.scope(path).imports:
            return ()  # most likely a parameter of the type, which can be anything
        for part in rest:
            things = self._all(self.member(thing, part, depth + 1) for thing in things)
        return tuple(self._as_type(thing, depth) for thing in things)

    def called(self, thing: Thing, depth: int = 0) -> Things:
        """What a call of a thing gives."""
        if thing.kind != "def" or depth > MAX_DEPTH:
            return (EXTERNAL,) if thing.kind == "external" else ()
        scope = self.scope(thing.path)
        item = scope.definitions[thing.position]
        if item.kind in NAMED_TYPES:
            return (Thing("instance", thing.path, thing.position),)
        if item.kind in _VALUES and item.kind != "property":
            values = (value for value in self.value_of(thing, depth + 1) if value != thing)
            return self._all(self.called(value, depth + 1) for value in values)
        bound = scope.bindings.get((thing.position, "()"), [])
        return self.values(thing.path, bound, depth + 1)

    def _item(self, thing: Thing, depth: int) -> Things:
        """What a holder of many holds."""
        if thing.kind == "many":
            return self.typed(thing.path, thing.position, thing.text, depth + 1)
        return (EXTERNAL,) if thing.kind == "external" else ()

