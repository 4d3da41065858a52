"""Mentions: every use of a name in a source, and what is known of the values behind names.

Roles come from the patterns of `tags.scm`; every other name of `names.scm` is a read. A bare name that is bound inside
the function around it means that binding and nothing else: its reads are dropped, other uses carry the mark `~`.
"""

import re
from typing import NamedTuple

from tree_sitter import Node, QueryCursor, Tree

from codecompass.languages.chains import LOCAL, MAX_CHAIN, UNKNOWN, chain
from codecompass.languages.nesting import Nesting
from codecompass.languages.registry import Language
from codecompass.languages.spec import LanguageSpec
from codecompass.model.code import Binding, Import, Reference

MAX_REFERENCES = 200_000
MAX_BINDINGS = 20_000
_REACH = 400
"""Bytes before a name in which what it hangs on must begin."""
_JOINTS = b".:>"
_DOT = ord(".")
_PATH = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$@.:"
_OPEN_ENDS = (b")", b"]", b"}", b"?", b"!", b">", b'"', b"'", b"`", b"#", b"&")
"""What stands before a run of path characters that is not the whole of it."""
_MAX_TYPE = 120
_HEAD = re.compile(r"[\w$@]+")

Roles = dict[int, tuple[int, str, Node]]


class Names(NamedTuple):
    """What `names.scm` found: every name, the names bound inside functions, the names that are no uses."""

    every: list[Node]
    local: list[Node]
    silent: frozenset[int]


def find_names(language: Language, tree: Tree) -> Names:
    captures = QueryCursor(language.names).captures(tree.root_node)
    local = captures.get("local", [])
    silent = frozenset(node.start_byte for node in captures.get("silent", ()))
    return Names(captures.get("name", []), local, silent | {node.start_byte for node in local})


def bound_names(
    names: Names, nesting: Nesting, imports: tuple[Import, ...], source: bytes
) -> dict[int, set[bytes]]:
    """Function → the names bound in it; the file's own callbacks go by -1."""
    found: dict[int, set[bytes]] = {}
    for node in names.local:
        function = nesting.functions(nesting.owner(node.start_byte))[0]
        found.setdefault(function, set()).add(source[node.start_byte : node.end_byte])
    top = found.get(-1)
    if top:
        # What the file defines at its top is seen everywhere; a callback's variable of the same name is the rare case.
        top.difference_update(item.name.encode() for item in nesting.definitions if item.parent < 0)
        top.difference_update((item.alias or item.name).encode() for item in imports)
    return found


class Mentions:
    """Collects the references of one file."""

    def __init__(
        self, spec: LanguageSpec, source: bytes, nesting: Nesting, bound: dict[int, set[bytes]], line_starts: list[int]
    ) -> None:
        self._spec = spec
        self._source = source
        self._nesting = nesting
        self._bound = bound
        self._line_starts = line_starts

    def collect(
        self, roles: Roles, defined: set[int], names: Names, known: frozenset[bytes] | None
    ) -> tuple[Reference, ...]:
        """References in source order; `known` are the only bare names worth a read, or None for all."""
        places = {at: (role, node.end_byte, node) for at, (_, role, node) in roles.items() if role != "none"}
        self._add_reads(places, roles, defined, names, known)
        found = []
        line, starts, last = 1, self._line_starts, len(self._line_starts)
        prefix = self._spec.name_prefix
        for at in sorted(places)[:MAX_REFERENCES]:
            role, end, node = places[at]
            if at in defined:
                continue
            while line < last and starts[line] <= at:
                line += 1
            raw = self._source[at:end]
            if not raw:  # the grammar put in a name that is missing
                continue
            owner = self._nesting.owner(at)
            receiver = self._receiver(node, at)
            if receiver:
                receiver = self.marked(receiver, owner)
            elif role != "import" and self._is_bound(raw, owner):
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

    def marked(self, text: str, owner: int) -> str:
        """A chain with the mark of a bound name before it, when it begins with one."""
        head = _HEAD.match(text)
        if head is None or head.group() in self._spec.resolve.self_words:
            return text
        return LOCAL + text if self._is_bound(head.group().encode(), owner) else text

    def _is_bound(self, name: bytes, owner: int) -> bool:
        return any(name in self._bound.get(function, ()) for function in self._nesting.functions(owner))

    def _receiver(self, node: Node, at: int) -> str:
        """What a name hangs on, as a chain."""
        source = self._source
        if not at or source[at - 1] not in _JOINTS:
            if not at or source[at - 1] not in b" \n\t#":
                return ""
            before = source[max(0, at - _REACH) : at].rstrip()
            if not before.endswith((b".", b"::")) or before.endswith(b"..."):
                return ""
        elif source[at - 1] != ord(".") and source[at - 2 : at] not in (b"::", b"->"):
            return ""
        head = source[max(0, at - MAX_CHAIN) : at]
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
        if tail and tail[0] != _DOT and start:
            return tail[:-1].decode("ascii") or UNKNOWN
        above = node.parent
        if above is None or above.start_byte >= at:
            return ""  # the dot before belongs to something else, such as the end of a comment
        if above.start_byte < at - _REACH:
            return UNKNOWN
        return chain(source[above.start_byte : at].decode("utf-8", "replace").rstrip(".:->?!& \t\r\n"))


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
    matches: list[dict[str, list[Node]]], nesting: Nesting, source: bytes, mentions: Mentions
) -> tuple[Binding, ...]:
    """What the captures `binding.*` of each match say, in source order."""
    found: set[Binding] = set()
    for captures in matches[:MAX_BINDINGS]:
        for label, how in (("type", "type"), ("value", "value"), ("item", "item")):
            for node in captures.get(f"binding.{label}", ())[:1]:
                text = _value(source, node, how)
                if text:
                    found.update(_bound_by(captures, nesting, source, how, text))
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
    marked = (
        item if item.how == "type" else item._replace(text=mentions.marked(item.text, item.scope)) for item in found
    )
    return tuple(sorted(marked, key=lambda item: (item.line, item)))


def _bound_by(
    captures: dict[str, list[Node]], nesting: Nesting, source: bytes, how: str, text: str
) -> list[Binding]:
    found = []
    for node in captures.get("binding.name", ()):
        scope = nesting.functions(nesting.owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        found.append(Binding(scope, name, how, text, node.start_point.row + 1, scope))
    for node in captures.get("binding.member", ()):
        around = nesting.owner(node.start_byte)
        owner, scope = nesting.type_around(around), nesting.functions(around)[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if owner >= 0:
            found.append(Binding(owner, "." + name, how, text, node.start_point.row + 1, scope))
    return found


def _value(source: bytes, node: Node, how: str) -> str:
    if node.end_byte - node.start_byte > _REACH:
        return ""
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    if how == "type":
        flat = " ".join(text.lstrip(": ").split())
        return flat if len(flat) <= _MAX_TYPE else ""
    found = chain(text)
    return "" if found == UNKNOWN else found
