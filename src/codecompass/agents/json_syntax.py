"""JSON syntax: parse JSON with comments and trailing commas into a tree of spans, so that a file can be edited in place.

The grammar package has only strict JSON, which takes a trailing comma for an error; agents accept both.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from codecompass.errors import Failure

MAX_DEPTH = 400
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<comment>//[^\r\n]*|/\*.*?\*/)
      | (?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")
      | (?P<word>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b)
      | (?P<mark>[{}\[\]:,])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


@dataclass(slots=True)
class JsonNode:
    """A value and its span. Members of an array have empty keys."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int = -1
    members: "list[JsonMember]" = field(default_factory=list)


@dataclass(slots=True)
class JsonMember:
    """A member of an object, or an item of an array."""

    key: str
    start: int
    """Where the key begins; for an item, the value."""
    value: JsonNode
    comma: int = -1
    """Offset of the comma behind it; -1 if there is none."""


@dataclass(slots=True)
class _OpenContainer:
    """An object or array whose end was not read yet."""

    node: JsonNode
    key: str | None = None
    key_start: int = -1
    has_colon: bool = False
    is_ready: bool = True
    """Whether another member may begin: at the start, and after a comma."""


def parse_json(text: str) -> JsonNode | None:
    """Return the tree of a text, or None if it has no value; Failure with line and column if it cannot be parsed."""
    root: JsonNode | None = None
    stack: list[_OpenContainer] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _make_failure(text, at)
        kind, start, at = token.lastgroup, at, token.end()
        if kind in ("space", "comment"):
            continue
        mark = text[start] if kind == "mark" else ""
        if mark in ("}", "]", ",", ":") and mark:
            if not stack or not _close_or_separate(stack, mark, start):
                raise _make_failure(text, start)
            continue
        top = stack[-1] if stack else None
        if top is not None and top.node.kind == "object" and top.key is None:
            if kind != "string" or not top.is_ready:
                raise _make_failure(text, start)
            top.key, top.key_start = _decode(text, start, at), start
            continue
        node = JsonNode("object" if mark == "{" else "array" if mark == "[" else "scalar", start, at)
        if kind == "string":
            _decode(text, start, at)
        if not _attach(top, node) or (top is None and root is not None):
            raise _make_failure(text, start)
        root = root or node
        if mark:
            node.end = -1
            stack.append(_OpenContainer(node))
            if len(stack) > MAX_DEPTH:
                raise _make_failure(text, start, "nested too deeply")
    if stack:
        raise _make_failure(text, len(text), "the end is missing")
    return root


def to_value(text: str, node: JsonNode) -> Any:  # noqa: ANN401 - a JSON value
    """Return a node as a Python value; of equal keys the last one counts."""
    if node.kind == "object":
        return {member.key: to_value(text, member.value) for member in node.members}
    if node.kind == "array":
        return [to_value(text, member.value) for member in node.members]
    return json.loads(text[node.start : node.end])


def _close_or_separate(stack: list[_OpenContainer], mark: str, at: int) -> bool:
    """Read `}`, `]`, `,` or `:`; return whether it may stand there."""
    top = stack[-1]
    if mark == ":":
        valid = top.key is not None and not top.has_colon
        top.has_colon = True
        return valid
    if top.key is not None:
        return False
    if mark == ",":
        valid = not top.is_ready
        if valid:
            top.node.members[-1].comma, top.is_ready = at, True
        return valid
    if (mark == "}") != (top.node.kind == "object"):
        return False
    top.node.end = at + 1
    stack.pop()
    return True


def _attach(top: _OpenContainer | None, node: JsonNode) -> bool:
    """Add a value to its container; return whether one may stand there."""
    if top is None:
        return True
    if not top.is_ready or (top.node.kind == "object" and not top.has_colon):
        return False
    in_object = top.node.kind == "object"
    top.node.members.append(JsonMember(top.key or "", top.key_start if in_object else node.start, node))
    top.key, top.has_colon, top.is_ready = None, False, False
    return True


def _decode(text: str, start: int, end: int) -> str:
    try:
        return str(json.loads(text[start:end]))
    except ValueError:
        raise _make_failure(text, start, "the string has an unknown escape") from None


def _make_failure(text: str, at: int, reason: str = "") -> Failure:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    what = reason or (f"unexpected {ascii(text[at])}" if at < len(text) else "the end is missing")
    return Failure("INVALID_REQUEST", f"line {line}, column {column}: {what}")
