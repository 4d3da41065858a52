"""Bindings: types and values of names, from the captures `binding.*` of a language's query."""

from collections.abc import Iterable

from tree_sitter import Node

from codecompass.languages.extraction.mentions import MAX_RECEIVER_BYTES, NameCaptures, ReferenceCollector
from codecompass.languages.extraction.name_chains import LITERAL, UNKNOWN, to_chain
from codecompass.languages.extraction.nesting import NestedSpans, Nesting
from codecompass.model.code.facts import RECEIVER, Binding

MAX_BINDINGS = 20_000
_MAX_TYPE = 120
_LITERAL_STARTS = frozenset(b"\"'`0123456789")
_BINDING_KINDS = {f"binding.{how}": how for how in ("type", "value", "item", "test", "part")}
_UNKNOWN_CAPTURE = "binding.doubt"
_OWNER_CAPTURES = {
    "binding.returns": ("()", "type"),
    "binding.receiver": (RECEIVER, "type"),
    "binding.result": ("()", "value"),
    "binding.module": ("()", "value"),
}
"""Captures about a function or file → (binding name, kind of binding)."""


def find_bindings(
    matches: list[dict[str, list[Node]]],
    nesting: Nesting,
    source: bytes,
    mentions: ReferenceCollector,
    names: NameCaptures,
) -> tuple[Binding, ...]:
    """Return the bindings of all matches, in source order."""
    found: dict[Binding, None] = {}
    doubts: dict[Binding, None] = {}
    taken: set[int] = set()
    for captures in matches[:MAX_BINDINGS]:
        for label, nodes in captures.items():
            how = _BINDING_KINDS.get(label)
            if how is not None:
                text = _read_value(source, nodes[0], how)
                if text:
                    bound = _find_name_bindings(captures, nesting, source, how, text, names.blocks, nodes[0], mentions)
                    found.update(dict.fromkeys(bound))
                    taken.update(name.start_byte for name in captures.get("binding.name", ()))
                elif names.blocks is None:
                    doubts.update(dict.fromkeys(_find_unknown_bindings(captures, nesting, source, nodes[0], mentions)))
            elif label == _UNKNOWN_CAPTURE and names.blocks is None:
                doubts.update(dict.fromkeys(_find_unknown_bindings(captures, nesting, source, nodes[0], mentions)))
            elif label in _OWNER_CAPTURES:
                found.update(dict.fromkeys(_find_owner_bindings(label, nodes, nesting, source, mentions)))
    if names.blocks is not None:
        unknown = [node for node in names.local if node.start_byte not in taken]
        found.update(dict.fromkeys(_find_shadowing(found, unknown, names.blocks, nesting, source)))
    else:
        found.update(dict.fromkeys(_find_competing_unknowns(found, doubts, names.local, taken, nesting, source)))
    return tuple(sorted(found, key=_get_line))


def _get_line(item: Binding) -> int:
    return item.line


def _find_owner_bindings(
    label: str, nodes: list[Node], nesting: Nesting, source: bytes, mentions: ReferenceCollector
) -> list[Binding]:
    """Return bindings of return values, receiver types and the exported value of the file."""
    found = []
    name, how = _OWNER_CAPTURES[label]
    for node in nodes:
        text, owner = _read_value(source, node, how), nesting.find_owner(node.start_byte)
        owner = owner if name == RECEIVER else nesting.find_functions(owner)[0]
        if label == "binding.module":
            owner = -1
        elif owner < 0:
            continue
        if text:
            text = text if how == "type" else mentions.mark_local(text, owner)
            found.append(Binding(owner, name, how, text, node.start_point.row + 1, owner))
    return found


def _find_name_bindings(
    captures: dict[str, list[Node]],
    nesting: Nesting,
    source: bytes,
    how: str,
    text: str,
    blocks: NestedSpans | None,
    value: Node,
    mentions: ReferenceCollector,
) -> list[Binding]:
    found = []
    plain = how == "type"
    for node in captures.get("binding.name", ()):
        scope = nesting.find_functions(nesting.find_owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        line, until = node.start_point.row + 1, 0
        if blocks is not None and scope >= 0:
            # A binding shadows an earlier one only after its value, which may still use the earlier one.
            line = value.end_point.row + 1 if how != "type" else line
            until = blocks.find_last_line(node.start_byte)
        value_text = text if plain else mentions.mark_local(text, scope)
        if how == "part":
            found.append(Binding(scope, name, "value", f"{value_text}.{name}", line, scope, until))
        else:
            found.append(Binding(scope, name, how, value_text, line, scope, until))
    for node in captures.get("binding.member", ()):
        line = node.start_point.row + 1
        around = nesting.find_container(line, node.start_point.column, node.start_byte)
        owner, scope = nesting.find_enclosing_type(around), nesting.find_functions(around)[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if owner >= 0:
            value_text = text if plain else mentions.mark_local(text, scope)
            found.append(Binding(owner, "." + name, how, value_text, line, scope))
    return found


def _find_shadowing(
    known: Iterable[Binding], local: list[Node], blocks: NestedSpans, nesting: Nesting, source: bytes
) -> list[Binding]:
    """Return bindings with unknown values that shadow a known binding."""
    names = {(item.owner, item.name) for item in known if item.owner == item.scope >= 0}
    found = []
    for node in local if names else ():
        scope = nesting.find_functions(nesting.find_owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if (scope, name) in names:
            until = blocks.find_last_line(node.start_byte)
            found.append(Binding(scope, name, "value", UNKNOWN, node.start_point.row + 1, scope, until))
    return found


def _find_unknown_bindings(
    captures: dict[str, list[Node]], nesting: Nesting, source: bytes, value: Node, mentions: ReferenceCollector
) -> list[Binding]:
    """Return bindings to an unknown value."""
    return _find_name_bindings(captures, nesting, source, "value", UNKNOWN, None, value, mentions)


def _find_competing_unknowns(
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
        scope = nesting.find_functions(nesting.find_owner(node.start_byte))[0]
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if (scope, name) in names:
            found.append(Binding(scope, name, "value", UNKNOWN, node.start_point.row + 1, scope))
    return found


def _read_value(source: bytes, node: Node, how: str) -> str:
    if node.end_byte - node.start_byte > MAX_RECEIVER_BYTES:
        return ""
    if how != "type" and source[node.start_byte] in _LITERAL_STARTS:
        return LITERAL  # a captured expression that begins like this is a literal
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    if how == "type":
        flat = " ".join(text.lstrip(": ").split())
        return flat if len(flat) <= _MAX_TYPE else ""
    found = to_chain(text)
    return "" if found == UNKNOWN else found
