"""Mentions: every use of a name in a source, and what is known of the values behind names.

Roles come from the patterns of `tags.scm`; every other name of `names.scm` is a read. A bare name that is bound inside
the function around it means that binding and nothing else: its reads are dropped, other uses carry the mark `~`.
"""

import re
from typing import NamedTuple

from tree_sitter import Node, QueryCursor, Tree

from codecompass.languages.chains import LITERAL, LOCAL, MAX_CHAIN, UNKNOWN, chain
from codecompass.languages.nesting import Blocks, Nesting
from codecompass.languages.registry import Language
from codecompass.languages.spec import LanguageSpec
from codecompass.model.code import Binding, Import, Reference

MAX_REFERENCES = 200_000
MAX_BINDINGS = 20_000
_REACH = 400
"""Bytes before a name in which what it hangs on must begin."""
_JOINTS = b".:>"
_DOT = ord(".")
_SELF = b"self."
_BREAKS = frozenset(b" \t\n([{,=-+*!")
_BEFORE_JOINT = b" \n\t\r.:"
_ARROW = ord(">")
_PATH = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$@.:"
_OPEN_ENDS = (b")", b"]", b"}", b"?", b"!", b">", b'"', b"'", b"`", b"#", b"&")
"""What stands before a run of path characters that is not the whole of it."""
_MAX_TYPE = 120
_LITERAL_STARTS = frozenset(b"\"'`0123456789")
_HEAD = re.compile(r"[\w$@]+")
_TYPED = frozenset({"type", "field"})
_WORD = re.compile(
    rb"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|/\*.*?\*/|//[^\n]*|\b\d[\w.]*|##?|([^\W\d]\w*)(\s*\()?", re.DOTALL
)
"""In text that is no syntax tree: what holds no names, then a name and whether it is called."""

Roles = dict[int, tuple[int, str, Node]]


class Names(NamedTuple):
    """What `names.scm` found: every name, the names bound inside functions, the names that are no uses, the blocks."""

    every: list[Node]
    local: list[Node]
    silent: frozenset[int]
    blocks: Blocks | None
    """Where bindings end, in a language whose later bindings hide earlier ones."""
    texts: list[Node]
    """Source that the grammar leaves as text; its words are names all the same."""


def find_names(language: Language, tree: Tree) -> Names:
    captures = QueryCursor(language.names).captures(tree.root_node)
    local = captures.get("local", [])
    silent = frozenset(node.start_byte for node in captures.get("silent", ()))
    blocks = Blocks(captures["block"]) if "block" in captures else None
    silent |= {node.start_byte for node in local}
    return Names(captures.get("name", []), local, silent, blocks, captures.get("text", []))


def bound_names(
    spec: LanguageSpec, names: Names, nesting: Nesting, imports: tuple[Import, ...], source: bytes, defined: set[int]
) -> dict[int, set[bytes]]:
    """Function → the names bound in it; the file's own callbacks go by -1."""
    found: dict[int, set[bytes]] = {}
    for node in names.local:
        at = node.start_byte
        owner = nesting.owner(at)
        function = nesting.functions(owner)[0]
        # The parameters of a function type are bound nowhere; what is a definition is found as one.
        if function < 0 and (at in defined or (owner >= 0 and nesting.definitions[owner].kind in _TYPED)):
            continue
        found.setdefault(function, set()).add(source[at : node.end_byte])
    top = found.get(-1)
    if top:
        # What the file defines at its top is seen everywhere; a callback's variable of the same name is the rare case.
        inner = spec.resolve.bare_members  # there the members of types are seen as widely
        top.difference_update(item.name.encode() for item in nesting.definitions if inner or item.parent < 0)
        top.difference_update((item.alias or item.name).encode() for item in imports)
    return found


class Mentions:
    """Collects the references of one file."""

    def __init__(
        self, language: Language, source: bytes, nesting: Nesting, bound: dict[int, set[bytes]], line_starts: list[int]
    ) -> None:
        self._spec = language.spec
        self._keywords = language.keywords
        self._source = source
        self._nesting = nesting
        self._bound = bound
        self._line_starts = line_starts
        self._bound_around: dict[int, frozenset[bytes]] = {}

    def collect(
        self,
        roles: Roles,
        holders: dict[int, tuple[int, Node]],
        defined: set[int],
        names: Names,
        known: frozenset[bytes] | None,
    ) -> tuple[Reference, ...]:
        """References in source order; `known` are the only bare names worth a read, or None for all."""
        places = {at: (role, node.end_byte, node) for at, (_, role, node) in roles.items() if role != "none"}
        self._add_reads(places, roles, defined, names, known)
        for node in names.texts:
            self._add_words(places, node)
        found = []
        source, owners, is_joined = self._source, self._nesting.walker(), self._is_joined
        line, starts, last = 1, self._line_starts, len(self._line_starts)
        prefix = self._spec.name_prefix
        for at in sorted(places)[:MAX_REFERENCES]:
            role, end, node = places[at]
            if at in defined:
                continue
            while line < last and starts[line] <= at:
                line += 1
            raw = source[at:end]
            if not raw:  # the grammar put in a name that is missing
                continue
            owner = owners(at)
            receiver = ""
            if at in holders:
                receiver = self._held(holders[at][1])
            elif is_joined(at):
                receiver = self._receiver(node, at)
            if receiver:
                receiver = self.marked(receiver, owner)
            elif role != "import" and raw in self._bound_at(owner):
                if role == "read":
                    continue
                receiver = LOCAL
            name, col = raw.decode("utf-8", "replace"), at - starts[line - 1]
            if prefix and name[0] in prefix:
                name, col = name[1:], col + 1
            found.append(Reference(role, name, line, col, owner, receiver))
        return tuple(found)

    def _add_reads(
        self,
        places: dict[int, tuple[str, int, Node]],
        roles: Roles,
        defined: set[int],
        names: Names,
        known: frozenset[bytes] | None,
    ) -> None:
        source, silent = self._source, names.silent
        for node in names.every:
            at = node.start_byte
            if at in roles or at in silent or at in defined:
                continue
            end = node.end_byte
            if known is not None and source[at - 1 : at] not in (b".", b":", b">") and source[at:end] not in known:
                continue
            places[at] = ("read", end, node)

    def _add_words(self, places: dict[int, tuple[str, int, Node]], node: Node) -> None:
        keywords = self._keywords
        for match in _WORD.finditer(self._source, node.start_byte, node.end_byte):
            at, end = match.span(1)
            if at >= 0 and self._source[at:end] not in keywords:
                places[at] = ("call" if match[2] else "read", end, node)

    def marked(self, text: str, owner: int) -> str:
        """A chain with the mark of a bound name before it, when it begins with one."""
        bound = self._bound_at(owner)
        if not bound or text in self._spec.resolve.self_words:
            return text
        head = _HEAD.match(text)
        if head is None or head.group().encode() not in bound or head.group() in self._spec.resolve.self_words:
            return text
        return LOCAL + text

    def _bound_at(self, owner: int) -> frozenset[bytes]:
        """All names bound in the functions around a definition."""
        known = self._bound_around.get(owner)
        if known is None:
            functions = self._nesting.functions(owner)
            if not self._spec.resolve.file_variables and len(functions) > 1:
                functions = functions[:-1]
            known = frozenset(name for function in functions for name in self._bound.get(function, ()))
            self._bound_around[owner] = known
        return known

    def _held(self, holder: Node) -> str:
        text = self._source[holder.start_byte : holder.end_byte]
        return chain(text.decode("utf-8", "replace")) if len(text) <= MAX_CHAIN else UNKNOWN

    def _is_joined(self, at: int) -> bool:
        """Whether a joint stands before a name, with or without space between."""
        source = self._source
        if not at:
            return False
        if source[at - 1] in _JOINTS:
            return source[at - 1] == _DOT or source[at - 2 : at] in (b"::", b"->")
        # The usual case is a word or a sign, then one space.
        if source[at - 1] not in b" \n\t#" or source[at - 2] not in _BEFORE_JOINT:
            return False
        before = source[max(0, at - _REACH) : at].rstrip()
        return before.endswith((b".", b"::")) and not before.endswith(b"...")

    def _receiver(self, node: Node, at: int) -> str:
        """What a name with a joint before it hangs on, as a chain."""
        source = self._source
        if source[at - 5 : at] == _SELF and source[at - 6] in _BREAKS:  # by far the most frequent one
            return "self"
        head = source[max(0, at - MAX_CHAIN) : at]
        if source[at - 1] == _ARROW:
            head = head.replace(b"->", b".")
        start = len(head.rstrip(_PATH))
        tail = head[start:].replace(b"::", b".")
        if b":" in tail:  # a colon alone ends what stood before
            tail = tail[tail.rindex(b":") + 1 :]
        elif head[start - 1 : start] in _OPEN_ENDS or head[start - 1 : start] >= b"\x80":
            tail = b""
        if not self._spec.resolve.member_prefix:
            tail = tail.lstrip(b"@")
        if tail.startswith(b"..."):
            tail = tail[3:]
        if tail[:1] == b"." and head[start : start + 2] == b"::":
            tail = tail[1:]  # from the outermost scope on
            if not tail:
                return ""
        if tail and tail[0] != _DOT and start:
            return tail[:-1].decode("ascii") or UNKNOWN
        return self._written_before(node, at)

    def _written_before(self, node: Node, at: int) -> str:
        """The chain of what the tree has before a name."""
        above = node.parent
        if above is not None and above.start_byte == at - 1:
            above = above.parent  # a node of its own for the dot and the name
        if above is not None and above.start_byte == at and self._source[at - 1] in _JOINTS:
            above = above.parent  # a node of its own for the name and its type arguments
        if above is None or above.start_byte >= at:
            return ""  # the dot before belongs to something else, such as the end of a comment
        while (outer := above.parent) is not None and outer.type == above.type and outer.end_byte == above.end_byte:
            above = outer  # a path that the grammar nests from its end
        if above.start_byte < at - _REACH:
            return UNKNOWN
        before = self._source[above.start_byte : at].decode("utf-8", "replace")
        return chain(before.rstrip(".:->?!& \t\r\n"))


def known_bare_names(
    spec: LanguageSpec, nesting: Nesting, imports: tuple[Import, ...]
) -> frozenset[bytes] | None:
    """The bare names that can mean something outside the function they stand in; None where any name can."""
    if spec.resolve.reach != "file" or any(item.name == "*" and not item.alias for item in imports):
        return None
    found = {item.name for item in nesting.definitions}
    for item in imports:
        found.add(item.alias or item.name or item.module.split(spec.separator)[0])
    return frozenset(name.encode() for name in found)


def find_bindings(
    matches: list[dict[str, list[Node]]], nesting: Nesting, source: bytes, mentions: Mentions, names: Names
) -> tuple[Binding, ...]:
    """What the captures `binding.*` of each match say, in source order."""
    found: set[Binding] = set()
    taken: set[int] = set()
    for captures in matches[:MAX_BINDINGS]:
        for label, how in (("type", "type"), ("value", "value"), ("item", "item")):
            for node in captures.get(f"binding.{label}", ())[:1]:
                text = _value(source, node, how)
                if text:
                    found.update(_bound_by(captures, nesting, source, how, text, names.blocks, node))
                    taken.update(name.start_byte for name in captures.get("binding.name", ()))
        for node in captures.get("binding.returns", ()):
            text = _value(source, node, "type")
            owner = nesting.functions(nesting.owner(node.start_byte))[0]
            if text and owner >= 0:
                found.add(Binding(owner, "()", "type", text, node.start_point.row + 1, owner))
        for node in captures.get("binding.result", ()):
            text = _value(source, node, "value")
            owner = nesting.functions(nesting.owner(node.start_byte))[0]
            if text and owner >= 0:
                found.add(Binding(owner, "()", "value", text, node.start_point.row + 1, owner))
    if names.blocks is not None:
        unknown = [node for node in names.local if node.start_byte not in taken]
        found.update(_hiding(found, unknown, names.blocks, nesting, source))
    marked = (
        item if item.how == "type" else item._replace(text=mentions.marked(item.text, item.scope)) for item in found
    )
    return tuple(sorted(marked, key=lambda item: (item.line, item)))


def _bound_by(
    captures: dict[str, list[Node]],
    nesting: Nesting,
    source: bytes,
    how: str,
    text: str,
    blocks: Blocks | None,
    value: Node,
) -> list[Binding]:
    found = []
    for node in captures.get("binding.name", ()):
        scope = nesting.functions(nesting.owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        line, until = node.start_point.row + 1, 0
        if blocks is not None and scope >= 0:
            # What hides another of its name does so behind its value, in which the other is still meant.
            line = value.end_point.row + 1 if how != "type" else line
            until = blocks.last_line(node.start_byte)
        found.append(Binding(scope, name, how, text, line, scope, until))
    for node in captures.get("binding.member", ()):
        line = node.start_point.row + 1
        around = nesting.home(line, node.start_point.column, node.start_byte)
        owner, scope = nesting.type_around(around), nesting.functions(around)[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if owner >= 0:
            found.append(Binding(owner, "." + name, how, text, line, scope))
    return found


def _hiding(
    known: set[Binding], local: list[Node], blocks: Blocks, nesting: Nesting, source: bytes
) -> list[Binding]:
    """Bindings of which nothing is known, where they hide one of which something is."""
    names = {(item.owner, item.name) for item in known if item.owner == item.scope >= 0}
    found = []
    for node in local if names else ():
        scope = nesting.functions(nesting.owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if (scope, name) in names:
            until = blocks.last_line(node.start_byte)
            found.append(Binding(scope, name, "value", UNKNOWN, node.start_point.row + 1, scope, until))
    return found


def _value(source: bytes, node: Node, how: str) -> str:
    if node.end_byte - node.start_byte > _REACH:
        return ""
    if how != "type" and source[node.start_byte] in _LITERAL_STARTS:
        return LITERAL  # what a pattern captures whole and what begins so can be nothing else
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    if how == "type":
        flat = " ".join(text.lstrip(": ").split())
        return flat if len(flat) <= _MAX_TYPE else ""
    found = chain(text)
    return "" if found == UNKNOWN else found
