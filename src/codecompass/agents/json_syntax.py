"""JSON syntax: parse JSON with comments and trailing commas into a tree of spans, for edits in place.

The grammar package has only strict JSON, which takes a trailing comma for an error; agents accept both.
"""

import json
import re
from collections.abc import Iterator
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

NodeKind = Literal["object", "array", "scalar"]
_CONTAINERS: dict[str, NodeKind] = {"{": "object", "[": "array"}


@dataclass(slots=True)
class JsonNode:
    """A value and its span. Members of an array have empty keys."""

    kind: NodeKind
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
    for kind, start, end in _iter_tokens(text):
        top = stack[-1] if stack else None
        mark = text[start] if kind == "mark" else ""
        if mark and mark in "}],:":
            valid = top is not None and _close_or_separate(stack, mark, start)
        elif top is not None and top.node.kind == "object" and top.key is None:
            valid = kind == "string" and top.is_ready
            top.key, top.key_start = _decode(text, start, end) if valid else "", start
        else:
            node = JsonNode(_CONTAINERS.get(mark, "scalar"), start, end)
            valid = _attach(top, node) and (top is not None or root is None)
            root = root or node
            if mark:
                stack.append(_OpenContainer(node))
        if not valid or len(stack) > MAX_DEPTH:
            raise _make_failure(text, start, "" if not valid else "nested too deeply")
    if stack:
        raise _make_failure(text, len(text), "the end is missing")
    return root


def _iter_tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of each token that is neither space nor comment."""
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _make_failure(text, at)
        kind, start, at = token.lastgroup or "", at, token.end()
        if kind == "string":
            _decode(text, start, at)
        if kind not in ("space", "comment"):
            yield kind, start, at


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
