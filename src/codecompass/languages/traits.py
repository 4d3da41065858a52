"""Traits of definitions, from the captures of `facts.scm` and from what else is known of a file.

Captures, all of them flat (they run in one pass with `names.scm`):

    parameter            a parameter; inside it parameter.name (several where they share a type), parameter.type and
                         parameter.default; parameter.tail is a name that stands just behind its parameter, and
                         parameter.behind a default
    returns              the declared type of what the function around gives; returns.pointer: it points to that
    variable             a declaration or assignment; inside it variable.name, variable.type and variable.value, which
                         says the type where it is a literal or makes an object, and an alias where it is a name
    declaration          a statement that gives several variables one type: declaration.type and declaration.name
    write                a bare name that is given a value; mutation: a member or item that is (`a.b`, `a[i]`)
    branch, loop, break, continue, return (only with a value), yield, await (what is waited for), throw (what is
    thrown, where `tags.scm` has no reference for it)
    lambda               a function without a name: what is returned, awaited or marked in it is not so for the
                         definition around
    mark.WORD            the definition around the node is WORD (`mark.async`, `mark.static`)

The `[facts]` table of the TOML says which literals give which type and which expressions make objects.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node

from codecompass.languages.chains import LITERAL, LOCAL, UNKNOWN, chain
from codecompass.languages.names import bound_name
from codecompass.languages.nesting import FUNCTIONS, Blocks, Nesting
from codecompass.languages.spec import LanguageSpec
from codecompass.model.code import Definition, Import, Reference
from codecompass.model.traits import Flow, Parameter, Traits, TypedName

MAX_TEXT = 120
"""Characters of a type or a default that are kept."""
MAX_WORDS = 2_000
"""Words of one list that are kept: no one wrote a definition that has more."""
_COUNTED = ("branch", "loop", "break", "continue", "return")
_LISTS = {
    "call": "calls", "instance": "calls", "read": "reads", "throw": "throws", "inherit": "bases", "type": "uses",
    "decorator": "uses", "write": "mutations",
}  # fmt: skip
"""Role of a reference → the list of traits it belongs to."""
_EXPRESSIONS = {"await": "awaits", "throw": "throws", "write": "writes", "mutation": "mutations"}
_JOINTS = frozenset(b".:>")
_STAR = ord("*")
_STRAIGHT = Flow()
Captures = dict[str, list[Node]]


class _Draft:
    """The traits of one definition while they are collected."""

    __slots__ = ("parameters", "returns", "types", "words")

    def __init__(self) -> None:
        self.parameters: list[Parameter] = []
        self.returns = ""
        self.types: list[TypedName] = []
        self.words: defaultdict[str, set[str]] = defaultdict(set)


class Source(NamedTuple):
    """What is known of a file when its traits are read."""

    spec: LanguageSpec
    text: bytes
    nesting: Nesting
    captures: Captures
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    claimed: frozenset[int]
    """Where names stand that are no reads: declarations, calls, types."""


def find_traits(source: Source) -> tuple[Traits, ...]:
    """The traits of every definition that has any, in source order."""
    reader = _Reader(source)
    reader.take_reads()
    reader.take_references()
    reader.take_marks()
    reader.take_words()
    reader.take_returns()
    reader.take_parameters()
    reader.take_declarations()
    reader.take_variables()
    return reader.finish()


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._captures = source.captures
        nesting = source.nesting
        # What stands in a member that a function defines (`self.x = …`) is what the function does.
        around = [nesting.functions(at)[0] for at in range(len(nesting.definitions))]
        self._homes = [at if function < 0 else function for at, function in enumerate(around)]
        self._homes.append(-1)
        self._drafts: defaultdict[int, _Draft] = defaultdict(_Draft)
        self._lambdas = _Lambdas(source)
        self._counts: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(_COUNTED))

    def _home(self, at: int) -> int:
        return self._homes[self._source.nesting.owner(at)]

    def _flat(self, node: Node) -> str:
        text = self._text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if len(text) < MAX_TEXT and text.isidentifier():
            return text
        flat = " ".join(text.split())
        return flat if len(flat) <= MAX_TEXT else flat[: MAX_TEXT - 1] + "…"

    def take_reads(self) -> None:
        """Bare names whose value is taken, those of local variables included, which no reference speaks of."""
        text, homes, source = self._text, self._homes, self._source
        other = source.claimed.union(node.start_byte for node in self._captures.get("write", ()))
        joints = _JOINTS.union(source.spec.space_joint.encode())
        dot = b"." if source.spec.dots_join else (source.spec.space_joint or "\0").encode()
        spans = sorted(
            [
                (at, node.end_byte)
                for node in self._captures.get("name", ())
                if (at := node.start_byte) not in other and (text[at - 1] not in joints or _is_bare(text, at, dot))
            ]
        )
        starts = [at for at, _ in spans]
        own = {word.encode() for word in source.spec.resolve.self_words}
        first = 0
        for _, end, owner in source.nesting.stretches(len(text)):
            last = bisect_left(starts, end, first)
            if last > first:
                words = {text[at:to] for at, to in spans[first:last]}
                reads = self._drafts[homes[owner]].words["reads"]
                reads.update([word.decode("utf-8", "replace") for word in words - own])
            first = last

    def take_references(self) -> None:
        drafts, homes, modules = self._drafts, self._homes, self._modules()
        # Where the language captures what is written, its references say nothing new.
        captured = bool(self._source.spec.facts.plain)
        space = self._source.spec.space_joint
        for role, name, _, _, owner, receiver in self._source.references:
            if role == "import":
                continue
            if role == "read" and (not receiver or receiver == LOCAL):
                if name in modules:
                    drafts[homes[owner]].words["imports"].add(modules[name])
                continue
            words = drafts[owner if role == "inherit" else homes[owner]].words
            head = full = name
            if receiver and receiver != LOCAL:
                before = receiver.removeprefix(LOCAL)
                head = before.partition(".")[0]
                full = f"{before}.{name}" if before[0] != UNKNOWN else name
                if space and space in before:
                    head = head.partition(space)[0]
                    full = before + name if before.endswith(space) else full
            if head in modules and receiver[:1] != LOCAL:
                words["imports"].add(modules[head])
            if full is not name if role == "read" else role != "write" or not captured:
                words[_LISTS[role]].add(full)

    def take_marks(self) -> None:
        for at, label in enumerate(_COUNTED):
            own_only = label == "return"
            for node in self._captures.get(label, ()):
                home = self._home(node.start_byte)
                if not (own_only and self._lambdas.hide(node.start_byte, home)):
                    self._counts[home][at] += 1
        for label, nodes in self._captures.items():
            if label.startswith("mark."):
                self._mark(label.removeprefix("mark."), nodes)
        self._mark("generator", self._captures.get("yield", ()))

    def take_words(self) -> None:
        """Expressions that are awaited, thrown, given a value or changed, each in its list."""
        for label, words in _EXPRESSIONS.items():
            for node in self._captures.get(label, ()):
                pointed = "*" if self._text[node.start_byte] == _STAR else ""
                text = pointed + self._path(node).removesuffix("()")
                self._drafts[self._home(node.start_byte)].words[words].add(text)

    def take_returns(self) -> None:
        untyped = self._source.spec.facts.untyped
        for node in self._captures.get("returns", ()):
            home, kind = self._home(node.start_byte), self._flat(node).lstrip(":-> ")
            if kind not in untyped and not self._lambdas.hide(node.start_byte, home):
                self._drafts[home].returns = self._drafts[home].returns or kind
        for node in self._captures.get("returns.pointer", ()):
            self._drafts[self._home(node.start_byte)].returns += "*"

    def _mark(self, word: str, nodes: Iterable[Node]) -> None:
        for node in nodes:
            home = self._home(node.start_byte)
            if not self._lambdas.hide(node.start_byte, home):
                self._drafts[home].words["marks"].add(word)

    def _path(self, node: Node) -> str:
        """An expression as a chain of names, or as it is written where it is none."""
        text = self._text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        found = chain(text)
        return self._flat(node) if found in (UNKNOWN, LITERAL) else found

    def take_parameters(self) -> None:
        for whole, parts in _groups(self._captures, "parameter"):
            home = self._taker(whole)
            if self._lambdas.hide(whole.start_byte, home):
                continue
            kind = self._flat(parts["type"][0]).lstrip(": ") if "type" in parts else ""
            default = self._flat(parts["default"][0]).lstrip("= ") if "default" in parts else ""
            if not kind and self._source.spec.facts.types_around:
                kind = self._around(whole, parts)
            draft = self._drafts[home]
            names = parts.get("name", ())
            for node in names:
                name = self._flat(node)
                draft.parameters.append(Parameter(name, kind, default))
                if kind:
                    draft.types.append(TypedName(name, kind, "annotation"))
                elif default and len(names) == 1 and (made := self._type_of(parts["default"][0])):
                    draft.types.append(TypedName(name, *made))

    def _taker(self, parameter: Node) -> int:
        """What takes a parameter; one that is a definition itself belongs to what is around it."""
        at = self._source.nesting.owner(parameter.start_byte)
        item = self._source.nesting.definitions[at] if at >= 0 else None
        if item and (item.byte_start, item.byte_end) == (parameter.start_byte, parameter.end_byte):
            at = item.parent
        return self._homes[at]

    def _around(self, whole: Node, parts: Captures) -> str:
        """The type of a parameter that is written around its name: all of it but the name and the default."""
        inner = sorted((*parts.get("name", ()), *parts.get("default", ())), key=_start)
        text, at = b"", whole.start_byte
        for node in inner:
            text, at = text + self._text[at : node.start_byte].rstrip(b"= "), node.end_byte
        return " ".join((text + self._text[at : whole.end_byte]).decode("utf-8", "replace").split())[:MAX_TEXT]

    def take_declarations(self) -> None:
        for whole, parts in _groups(self._captures, "declaration"):
            kind = self._flat(parts["type"][0]) if "type" in parts else ""
            if kind and kind not in self._source.spec.facts.untyped:
                draft = self._drafts[self._home(whole.start_byte)]
                draft.types += [TypedName(self._flat(node), kind, "annotation") for node in parts.get("name", ())]

    def take_variables(self) -> None:
        rule = self._source.spec.facts
        for whole, parts in _groups(self._captures, "variable"):
            draft = self._drafts[self._home(whole.start_byte)]
            names, values = parts.get("name", []), parts.get("value", [])
            kind = self._flat(parts["type"][0]).lstrip(": ") if "type" in parts else ""
            # Of several names that share one value nothing is known.
            paired = values if len(values) == len(names) else [None] * len(names)
            for node, value in zip(names, paired, strict=True):
                name = self._path(node)
                if kind:
                    draft.types.append(TypedName(name, kind, "annotation"))
                elif value is not None and (made := self._type_of(value)):
                    draft.types.append(TypedName(name, *made))
                if value is not None and value.type in rule.plain:
                    draft.words["aliases"].add(f"{name}={self._path(value)}")

    def _type_of(self, value: Node) -> tuple[str, str] | None:
        """Type and how it is known, of an expression that tells it by itself."""
        rule = self._source.spec.facts
        kind = value.type
        while kind in rule.through and value.named_child_count:
            value = value.named_children[-1]
            kind = value.type
        literal = rule.literals.get(kind)
        if literal:
            return literal, "literal"
        field = rule.makers.get(kind)
        if field is None:
            return None
        if not field:
            named: Node | None = value
        else:
            named = value.named_child(int(field)) if field.isdigit() else value.child_by_field_name(field)
        if named is None:
            return None
        if kind not in rule.capital_makers:
            return self._flat(named), "constructor"
        path = self._path(named).removesuffix("()")
        head, _, last = path.rpartition(".")
        if last in rule.named_makers and head.rpartition(".")[2][:1].isupper():
            return head, "constructor"
        return (path, "constructor") if last[:1].isupper() else None

    def _modules(self) -> dict[str, str]:
        """Bound name → the module it comes from."""
        spec, found = self._source.spec, dict[str, str]()
        for item in self._source.imports:
            if name := bound_name(spec, item):
                found[name] = item.module or item.name
        return found

    def finish(self) -> tuple[Traits, ...]:
        found = []
        for at in sorted({*self._drafts, *self._counts}):
            draft = self._drafts[at]
            lists = {label: tuple(sorted(words)[:MAX_WORDS]) for label, words in draft.words.items() if words}
            flow = Flow(*self._counts[at]) if at in self._counts else _STRAIGHT
            written = {item.name for item in draft.types if item.how == "annotation"}
            # What is written is believed, whatever else the value says.
            kept = (item for item in draft.types if item.how == "annotation" or item.name not in written)
            types = tuple(dict.fromkeys(kept))
            if lists or draft.parameters or draft.returns or types or flow is not _STRAIGHT:
                found.append(Traits(at, tuple(draft.parameters), draft.returns, types=types, flow=flow, **lists))
        return tuple(_shared(found, self._source.nesting.definitions))


def _is_bare(text: bytes, at: int, dot: bytes) -> bool:
    """Whether the sign before a name joins it to nothing: the end of a range, a colon or a bracket alone."""
    before = text[max(0, at - 2) : at]
    return before == b".." or not (before.endswith(dot) or before in (b"::", b"->"))


def _shared(found: list[Traits], definitions: tuple[Definition, ...]) -> list[Traits]:
    """Definitions that one statement makes (`int a, b;`) have what it says in common, but each its own type."""
    twins: dict[tuple[int, int], list[int]] = {}
    for at, item in enumerate(definitions):
        twins.setdefault((item.byte_start, item.byte_end), []).append(at)
    if len(twins) == len(definitions):
        return found
    made = {row.at: row for row in found}
    for names in twins.values():
        rows = [made[at] for at in names if at in made]
        types = [one for row in rows for one in row.types]
        for at in names if rows and len(names) > 1 else ():
            own = made.get(at, rows[0])
            made[at] = own._replace(at=at, types=tuple(one for one in types if one.name == definitions[at].name))
    return [made[at] for at in sorted(made)]


def _start(node: Node) -> int:
    return node.start_byte


def _groups(captures: Captures, name: str) -> list[tuple[Node, Captures]]:
    """Each node captured as a whole with its parts, which belong to the innermost whole around them."""
    wholes = sorted(captures.get(name, ()), key=_start)
    starts = [node.start_byte for node in wholes]
    found: list[tuple[Node, Captures]] = [(node, {}) for node in wholes]
    for label in ("name", "tail", "type", "default", "behind", "value"):
        for node in sorted(captures.get(f"{name}.{label}", ()), key=_start):
            at = bisect_right(starts, node.start_byte) - 1
            if label in ("tail", "behind"):
                found[at][1].setdefault("name" if label == "tail" else "default", []).append(node)
                continue
            while at >= 0 and wholes[at].end_byte < node.end_byte:
                at -= 1
            if at >= 0:
                found[at][1].setdefault(label, []).append(node)
    return found


class _Lambdas:
    """Functions without a name: what stands in one is not done by the definition around it."""

    def __init__(self, source: Source) -> None:
        self._definitions = source.nesting.definitions
        nodes = source.captures.get("lambda")
        self._spans = Blocks(nodes) if nodes else None

    def hide(self, offset: int, home: int) -> bool:
        """Whether a function without a name lies between an offset and the definition it is in."""
        if self._spans is None:
            return False
        item = self._definitions[home] if home >= 0 else None
        at = self._spans.innermost(offset)
        while at >= 0:
            start, end = self._spans.span(at)
            if item is not None and start <= item.byte_start:
                return False
            # A definition may be a variable whose value is the function: the two end together.
            if item is None or item.kind not in FUNCTIONS or item.byte_end - end > 2:
                return True
            at = self._spans.above(at)
        return False
