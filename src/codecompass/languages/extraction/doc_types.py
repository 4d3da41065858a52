"""Documented types: types of parameters, return values and members from documentation comments.

A declared type takes precedence, unless it is vague (a list, an object).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from tree_sitter import Node

from codecompass.languages.extraction.nesting import FUNCTIONS, Nesting
from codecompass.languages.language_spec import LanguageSpec
from codecompass.model.code.facts import Binding, Definition

_OPENING = "([{<"
_CLOSING = ")]}>"
_VAGUE = frozenset({"mixed", "object", "array", "iterable", "resource", "null", "void"})
_MAX_TYPE = 120
_CLASS = re.compile(r"(?:^|(?<=\|))\\?[A-Z][\w\\]*(?=\||$)")
"""The classes in a union type."""
_NAME = re.compile(r"\s*(?:&|\.\.\.)*([$@]?[^\W\d]\w*)")


def add_documented_types(
    spec: LanguageSpec,
    nesting: Nesting,
    known: tuple[Binding, ...],
    comments: list[tuple[bool, Node]],
    source: bytes,
) -> tuple[Binding, ...]:
    """Add the bindings that the documentation of a file declares.

    A comment inside a function may declare the type of a variable.
    """
    if not spec.doc_types:
        return known
    declared = {(item.owner, item.name): item.text for item in known if item.how == "type"}
    added: dict[tuple[int, str], Binding] = {}
    for position, item in enumerate(nesting.definitions):
        lines = _read_doc_lines(item, comments, source)
        for binding in _find_documented_bindings(spec, nesting, position, item, lines) if lines else ():
            key = (binding.owner, binding.name)
            if _is_vague(declared.get(key, "mixed")) and not _is_vague(binding.text):
                added.setdefault(key, binding)
    variables = list(_find_variable_types(spec, nesting, comments, source))
    if not added and not variables:
        return known
    kept = [item for item in known if item.how != "type" or (item.owner, item.name) not in added]
    return tuple(sorted({*kept, *variables, *added.values()}, key=lambda item: (item.line, item)))


def _read_doc_lines(item: Definition, comments: list[tuple[bool, Node]], source: bytes) -> list[str]:
    """Return the documentation lines of a definition; from the source if the stored text was truncated."""
    if not item.doc.endswith("…"):
        return item.doc.splitlines() if "@" in item.doc else []
    at = bisect_right(comments, item.byte_start, key=lambda comment: comment[1].end_byte) - 1
    if at < 0 or source[comments[at][1].end_byte : item.byte_start].strip():
        return []
    return _strip_comment_lines(source[comments[at][1].start_byte : comments[at][1].end_byte])


def _strip_comment_lines(comment: bytes) -> list[str]:
    return [line.strip(" \t*/") for line in comment.decode("utf-8", "replace").splitlines()]


def _find_documented_bindings(
    spec: LanguageSpec, nesting: Nesting, position: int, item: Definition, lines: list[str]
) -> Iterator[Binding]:
    mark = spec.resolve.variable_mark
    for line in lines:
        word, _, rest = line.partition(" ")
        what = spec.doc_types.get(word)
        text, behind = _parse_type(rest.strip()) if what else ("", "")
        if not text:
            continue
        named = _NAME.match(behind)
        name = named[1].removeprefix(mark) if named else ""
        at = item.name_line
        if what == "parameter" and name and item.kind in FUNCTIONS:
            yield Binding(position, mark + name, "type", text, at, position)
            for field in _find_field_owners(nesting, position, name):
                yield Binding(field, "." + name, "type", text, at, position)
        elif what == "returns" and item.kind in FUNCTIONS:
            yield Binding(position, "()", "type", text, at, position)
        elif what == "value" and item.kind in ("field", "property") and item.parent >= 0:
            yield Binding(nesting.find_enclosing_type(item.parent), "." + item.name, "type", text, at, -1)
        elif what == "member" and name and nesting.find_enclosing_type(position) == position:
            yield Binding(position, "." + name, "type", text, at, -1)


def _find_variable_types(
    spec: LanguageSpec, nesting: Nesting, comments: list[tuple[bool, Node]], source: bytes
) -> Iterator[Binding]:
    """Return bindings of variables from comments inside functions.

    Such a type applies only there, so it is added to the other values of the variable.
    """
    mark = spec.resolve.variable_mark
    for node in (node for is_doc, node in comments if is_doc and mark):
        text = source[node.start_byte : node.end_byte]
        if b"@" not in text or mark.encode() not in text:
            continue
        function = nesting.find_functions(nesting.find_owner(node.start_byte))[0]
        for line in _strip_comment_lines(text) if function >= 0 else ():
            word, _, rest = line.partition(" ")
            kind, behind = _parse_type(rest.strip()) if spec.doc_types.get(word) == "value" else ("", "")
            named = _NAME.match(behind)
            if named and named[1].startswith(mark):
                for name in _CLASS.findall(kind):
                    yield Binding(function, named[1], "value", f"{name}()", node.start_point.row + 1, function)


def _find_field_owners(nesting: Nesting, position: int, name: str) -> Iterator[int]:
    """Yield the type of a function whose parameter of that name is also a field."""
    definitions = nesting.definitions
    at = position + 1
    while at < len(definitions) and definitions[at].parent == position:
        if definitions[at].kind == "field" and definitions[at].name == name:
            yield nesting.find_enclosing_type(position)
        at += 1


def _parse_type(text: str) -> tuple[str, str]:
    """Split a text into its leading type and the rest; empty if there is no readable type."""
    depth, end = 0, len(text)
    for offset, char in enumerate(text[: _MAX_TYPE + 1]):
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char.isspace() and depth == 0:
            end = offset
            break
    found = text[:end]
    if depth or not found or len(found) > _MAX_TYPE or found[0] in "(-" or found.endswith(":"):
        return "", ""
    return found, text[end:]


def _is_vague(text: str) -> bool:
    """Whether a type gives no information about members."""
    return all(part.strip().casefold() in _VAGUE for part in text.lstrip("?").split("|"))
