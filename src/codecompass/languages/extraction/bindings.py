"""Bindings: types and values of names, from the captures `binding.*` of a language's query."""

from collections.abc import Iterable

from tree_sitter import Node

from codecompass.languages.extraction.mentions import REACH, Mentions, Names
from codecompass.languages.extraction.name_chains import LITERAL, UNKNOWN, chain
from codecompass.languages.extraction.nesting import Blocks, Nesting
from codecompass.model.code.facts import Binding

MAX_BINDINGS = 20_000
RECEIVER = "()@"
"""The binding name of a function's receiver type."""
_MAX_TYPE = 120
_LITERAL_STARTS = frozenset(b"\"'`0123456789")
_HOW = {f"binding.{how}": how for how in ("type", "value", "item", "test", "part")}
_DOUBT = "binding.doubt"
_GIVEN = {
    "binding.returns": ("()", "type"),
    "binding.receiver": (RECEIVER, "type"),
    "binding.result": ("()", "value"),
    "binding.module": ("()", "value"),
}
"""Captures about a function or file → (binding name, kind of binding)."""


def find_bindings(
    matches: list[dict[str, list[Node]]], nesting: Nesting, source: bytes, mentions: Mentions, names: Names
) -> tuple[Binding, ...]:
    """Return the bindings of all matches, in source order."""
    found: dict[Binding, None] = {}
    doubts: dict[Binding, None] = {}
    taken: set[int] = set()
    for captures in matches[:MAX_BINDINGS]:
        for label, nodes in captures.items():
            how = _HOW.get(label)
            if how is not None:
                text = _value(source, nodes[0], how)
                if text:
                    bound = _bound_by(captures, nesting, source, how, text, names.blocks, nodes[0], mentions)
                    found.update(dict.fromkeys(bound))
                    taken.update(name.start_byte for name in captures.get("binding.name", ()))
                elif names.blocks is None:
                    doubts.update(dict.fromkeys(_doubted_by(captures, nesting, source, nodes[0], mentions)))
            elif label == _DOUBT and names.blocks is None:
                doubts.update(dict.fromkeys(_doubted_by(captures, nesting, source, nodes[0], mentions)))
            elif label in _GIVEN:
                found.update(dict.fromkeys(_given_by(label, nodes, nesting, source, mentions)))
    if names.blocks is not None:
        unknown = [node for node in names.local if node.start_byte not in taken]
        found.update(dict.fromkeys(_hiding(found, unknown, names.blocks, nesting, source)))
    else:
        found.update(dict.fromkeys(_open_ended(found, doubts, names.local, taken, nesting, source)))
    return tuple(sorted(found, key=_line))


def _line(item: Binding) -> int:
    return item.line


def _given_by(label: str, nodes: list[Node], nesting: Nesting, source: bytes, mentions: Mentions) -> list[Binding]:
    """Return bindings of return values, receiver types and the exported value of the file."""
    found = []
    name, how = _GIVEN[label]
    for node in nodes:
        text, owner = _value(source, node, how), nesting.owner(node.start_byte)
        owner = owner if name == RECEIVER else nesting.functions(owner)[0]
        if label == "binding.module":
            owner = -1
        elif owner < 0:
            continue
        if text:
            text = text if how == "type" else mentions.marked(text, owner)
            found.append(Binding(owner, name, how, text, node.start_point.row + 1, owner))
    return found


def _bound_by(
    captures: dict[str, list[Node]],
    nesting: Nesting,
    source: bytes,
    how: str,
    text: str,
    blocks: Blocks | None,
    value: Node,
    mentions: Mentions,
) -> list[Binding]:
    found = []
    plain = how == "type"
    for node in captures.get("binding.name", ()):
        scope = nesting.functions(nesting.owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        line, until = node.start_point.row + 1, 0
        if blocks is not None and scope >= 0:
            # A binding shadows an earlier one only after its value, which may still use the earlier one.
            line = value.end_point.row + 1 if how != "type" else line
            until = blocks.last_line(node.start_byte)
        value_text = text if plain else mentions.marked(text, scope)
        if how == "part":
            found.append(Binding(scope, name, "value", f"{value_text}.{name}", line, scope, until))
        else:
            found.append(Binding(scope, name, how, value_text, line, scope, until))
    for node in captures.get("binding.member", ()):
        line = node.start_point.row + 1
        around = nesting.home(line, node.start_point.column, node.start_byte)
        owner, scope = nesting.type_around(around), nesting.functions(around)[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if owner >= 0:
            value_text = text if plain else mentions.marked(text, scope)
            found.append(Binding(owner, "." + name, how, value_text, line, scope))
    return found


def _hiding(
    known: Iterable[Binding], local: list[Node], blocks: Blocks, nesting: Nesting, source: bytes
) -> list[Binding]:
    """Return bindings with unknown values that shadow a known binding."""
    names = {(item.owner, item.name) for item in known if item.owner == item.scope >= 0}
    found = []
    for node in local if names else ():
        scope = nesting.functions(nesting.owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if (scope, name) in names:
            until = blocks.last_line(node.start_byte)
            found.append(Binding(scope, name, "value", UNKNOWN, node.start_point.row + 1, scope, until))
    return found


def _doubted_by(
    captures: dict[str, list[Node]], nesting: Nesting, source: bytes, value: Node, mentions: Mentions
) -> list[Binding]:
    """Return bindings to an unknown value."""
    return _bound_by(captures, nesting, source, "value", UNKNOWN, None, value, mentions)


def _open_ended(
    known: Iterable[Binding],
    doubts: Iterable[Binding],
    local: list[Node],
    taken: set[int],
    nesting: Nesting,
    source: bytes,
) -> list[Binding]:
    """Return bindings to unknown values of names and members that also have known values.

    Without them the known value would seem to be the only one.
    """
    names = {(item.owner, item.name) for item in known if item.how != "type"}
    found = [item for item in doubts if (item.owner, item.name) in names]
    for node in local if names else ():
        if node.start_byte in taken:
            continue
        scope = nesting.functions(nesting.owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if (scope, name) in names:
            found.append(Binding(scope, name, "value", UNKNOWN, node.start_point.row + 1, scope))
    return found


def _value(source: bytes, node: Node, how: str) -> str:
    if node.end_byte - node.start_byte > REACH:
        return ""
    if how != "type" and source[node.start_byte] in _LITERAL_STARTS:
        return LITERAL  # a captured expression that begins like this is a literal
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    if how == "type":
        flat = " ".join(text.lstrip(": ").split())
        return flat if len(flat) <= _MAX_TYPE else ""
    found = chain(text)
    return "" if found == UNKNOWN else found
