"""JSON edits: set and remove values of a JSON text and leave every other byte as it is."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from codecompass.agents.json_syntax import JsonMember, JsonNode, parse_json, to_value
from codecompass.errors import Failure

_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)


def get_value(text: str, path: Sequence[str]) -> Any:  # noqa: ANN401 - a JSON value
    """Return the value at a path; None if there is none."""
    node = _find(parse_json(text), path)
    return None if node is None else to_value(text, node)


def set_value(text: str, path: Sequence[str], value: object) -> str:
    """Set the value at a path and create the objects above it; keys of an existing object that are not set stay."""
    root = parse_json(text)
    if root is None:
        return _begin(text, path, value)
    node = root
    for depth, key in enumerate(path):
        _require_kind(node, "object", path[:depth])
        below = _find(node, (key,))
        if below is None:
            return _insert(text, node, key, _nest(path[depth + 1 :], value))
        node = below
    if isinstance(value, dict) and node.kind == "object":
        for key, part in value.items():
            text = set_value(text, (*path, key), part)
        return text
    if to_value(text, node) == value:
        return text
    return text[: node.start] + _render(text, value, _indent_at(text, node.start)) + text[node.end :]


def remove_value(text: str, path: Sequence[str]) -> str:
    """Remove the member at a path with its comma; nothing else changes."""
    parent = _find(parse_json(text), path[:-1])
    if parent is None or parent.kind != "object":
        return text
    at = next((i for i in reversed(range(len(parent.members))) if parent.members[i].key == path[-1]), None)
    return text if at is None else _remove(text, parent, at)


def append_item(text: str, path: Sequence[str], value: object) -> str:
    """Append an item to the array at a path, which is created if it does not exist."""
    node = _find(parse_json(text), path)
    if node is None:
        return set_value(text, path, [value])
    _require_kind(node, "array", path)
    return _insert(text, node, None, value)


def remove_items(text: str, path: Sequence[str], is_wanted: Callable[[Any], bool]) -> str:
    """Remove the items of an array that a predicate selects."""
    node = _find(parse_json(text), path)
    if node is None or node.kind != "array":
        return text
    for at in reversed(range(len(node.members))):
        if is_wanted(to_value(text, node.members[at].value)):
            text = _remove(text, node, at)
            return remove_items(text, path, is_wanted)
    return text


def _find(node: JsonNode | None, path: Sequence[str]) -> JsonNode | None:
    for key in path:
        if node is None or node.kind != "object":
            return None
        node = next((member.value for member in reversed(node.members) if member.key == key), None)
    return node


def _require_kind(node: JsonNode, kind: str, path: Sequence[str]) -> None:
    if node.kind != kind:
        name = ".".join(path) or "the whole file"
        raise Failure("INVALID_REQUEST", f"{name} is not an {kind}")


def _nest(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _begin(text: str, path: Sequence[str], value: object) -> str:
    """Write the first value of a file that is empty or has only comments."""
    newline = _newline_of(text)
    between = newline if text and not text.endswith(("\n", "\r")) else ""
    return text + between + _render(text, _nest(path, value), "") + newline


def _insert(text: str, node: JsonNode, key: str | None, value: object) -> str:
    """Insert a member behind the last one, in the style of the container."""
    last = node.members[-1] if node.members else None
    close = node.end - 1
    inside = text[node.start + 1 : close]
    gap = len(inside) - len(inside.rstrip())
    multiline = "\n" in inside if last or inside.strip() else "\n" in text.strip() or text.strip() == "{}"
    indent = _indent_at(text, node.start)
    if last and multiline:
        first = node.members[0].start
        on_own_line = "\n" in text[node.start : first]
        indent_inside = _indent_at(text, first) if on_own_line else indent + _unit_of(text)
    else:
        indent_inside = indent + _unit_of(text)
    member = _render(text, value, indent_inside, pretty=multiline)
    if key is not None:
        member = f"{json.dumps(key, ensure_ascii=False)}: {member}"
    newline = _newline_of(text)
    start = close - gap
    if multiline:
        tail = "" if "\n" in text[start:close] else newline + indent
        added = newline + indent_inside + member + ("," if last and last.comma >= 0 else "") + tail
    else:
        added = (" " if last else "") + member + ("," if last and last.comma >= 0 else "")
        start = start if last else node.start + 1
    text = text[:start] + added + text[start:]
    return text if last is None or last.comma >= 0 else text[: last.value.end] + "," + text[last.value.end :]


def _remove(text: str, parent: JsonNode, at: int) -> str:
    member = parent.members[at]
    before = text[parent.start + 1 : member.start]
    start = parent.start + 1 + len(before.rstrip())
    end = member.comma + 1 if member.comma >= 0 else member.value.end
    if _ends_in_line_comment(text, parent, member, start):
        start = member.start
    text = text[:start] + text[end:]
    if member.comma < 0 and at > 0 and (comma := parent.members[at - 1].comma) >= 0:
        text = text[:comma] + text[comma + 1 :]
    if len(parent.members) == 1 and not text[parent.start + 1 : start].strip():
        rest = text[start:]
        text = text[:start] + (rest.lstrip() if rest.lstrip().startswith(("}", "]")) else rest)
    return text


def _ends_in_line_comment(text: str, parent: JsonNode, member: JsonMember, start: int) -> bool:
    """Whether the text before a member is a comment to the end of the line, which must keep its line break."""
    line = text[max(parent.start + 1, text.rfind("\n", 0, start) + 1) : start]
    follows = text[member.value.end :].lstrip(",")
    return "//" in line and not re.match(r"[ \t]*\r?\n", follows)


def _render(text: str, value: object, indent: str, *, pretty: bool = True) -> str:
    if not pretty:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit_of(text)).split("\n")
    return (_newline_of(text) + indent).join(lines)


def _newline_of(text: str) -> str:
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _unit_of(text: str) -> str:
    """Return one step of indentation: that of the first indented line, two spaces where there is none."""
    found = _INDENTED.search(text)
    return found[1] if found else "  "


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
