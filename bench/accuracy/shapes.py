"""Shapes: every time a name stands in code, and what it is there, told without the program's own queries.

A `member` follows an object, a `key` gives a value by name, `bare` stands alone. A bare name is `local` when a function
around binds it, or when nothing in the file does: such a name cannot mean a definition of another file. The words of a
module's path, and the name that an import gives, are `local` too.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from codecompass.languages.registry import Registry

_NAMES = "identifier"
_MEMBERS = frozenset({"property_identifier", "private_property_identifier"})
_DECLARES = "variable_declarator"
_SCOPES = frozenset({"function_declaration", "function_expression", "arrow_function", "method_definition",
                     "generator_function_declaration", "generator_function", "class_static_block", "function_type",
                     "function_signature", "method_signature", "call_signature", "construct_signature"})  # fmt: skip
_NAMED_BY = frozenset({"function_declaration", "generator_function_declaration"})
"""Nodes whose name belongs to the scope around them."""
_BINDERS: dict[str, tuple[str, ...]] = {
    "variable_declarator": ("name",), "required_parameter": ("pattern",), "optional_parameter": ("pattern",),
    "formal_parameters": (), "arrow_function": ("parameter",), "function_declaration": ("name",),
    "generator_function_declaration": ("name",), "class_declaration": ("name",), "import_specifier": (),
    "import_clause": (), "namespace_import": (), "rest_pattern": (), "array_pattern": (), "pair_pattern": ("value",),
    "assignment_pattern": ("left",), "catch_clause": ("parameter",), "for_in_statement": ("left",),
    "interface_declaration": ("name",), "type_alias_declaration": ("name",), "enum_declaration": ("name",),
}  # fmt: skip
"""Node type → the fields of it that bind a name; none means any child."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Shape:
    """One occurrence of a name in code; the column counts UTF-8 bytes from 0."""

    line: int
    column: int
    what: str
    """`member`, `key`, `bare` or `local`."""


def shapes_of(registry: Registry, path: str, source: bytes, name: str) -> list[Shape]:
    """Occurrences of a name in one file; none where the file does not parse."""
    language = registry.get(registry.detect(path) or "")
    if language is None or name.encode() not in source:
        return []
    if language.spec.name == "python":
        try:
            return list(_in_python(source.decode(), name))
        except (SyntaxError, ValueError, tokenize.TokenError):
            return []
    tree = language.parser.parse(source)
    if tree.root_node.has_error:
        return []
    return list(_in_tree(tree.root_node, name.encode()))


def _in_tree(root: Node, name: bytes) -> Iterator[Shape]:
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node.type.endswith(_NAMES) and not node.children and node.text == name:
            found.append(node)
        waiting += node.children
    scopes = {scopes_around(node)[node.parent.type in _NAMED_BY] for node in found if node.parent and _binds_it(node)}
    for node in found:
        around = scopes_around(node)
        bound = next((scope for scope in around if scope in scopes), None)
        is_local = bound != root or (node.parent is not None and node.parent.type == _DECLARES and _binds_it(node))
        what = "member" if node.type in _MEMBERS else "local" if is_local else "bare"
        yield Shape(node.start_point[0] + 1, node.start_point[1], what)


def scopes_around(node: Node) -> list[Node]:
    """The functions around a node and the file, innermost first; the file twice, for names that belong outside."""
    found = []
    above = node.parent
    while above is not None:
        if above.type in _SCOPES or above.parent is None:
            found.append(above)
        above = above.parent
    return [*found, found[-1]] if found else [node, node]


def _binds_it(node: Node) -> bool:
    above = node.parent
    if above is None:
        return False
    fields = _BINDERS.get(above.type)
    if fields is None:
        return node.type == "shorthand_property_identifier_pattern"
    return not fields or any(above.child_by_field_name(name) == node for name in fields)


def _in_python(text: str, name: str) -> Iterator[Shape]:
    lines = text.split("\n")
    module = ast.parse(text)
    keys = {(node.lineno, node.col_offset) for node in ast.walk(module) if isinstance(node, ast.keyword) and node.arg}
    local = set(_local_names(module, name, bound=False))
    if not _binds(module.body, name):
        local |= {(node.lineno, node.col_offset) for node in ast.walk(module) if isinstance(node, ast.Name)}
    before, first, passed = "", "", False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NL, tokenize.COMMENT):
            continue
        if token.type == tokenize.NAME and token.string == name:
            place = (token.start[0], len(lines[token.start[0] - 1][: token.start[1]].encode()))
            if (first == "from" and not passed) or (first in ("from", "import") and before == "as"):
                what = "local"
            else:
                what = "member" if before == "." else "key" if place in keys else "local" if place in local else "bare"
            yield Shape(*place, what)
        passed = passed or token.string == "import"
        first = first or token.string.strip()
        if token.type == tokenize.NEWLINE:
            first, passed = "", False
        before = token.string


def _local_names(node: ast.AST, name: str, *, bound: bool) -> Iterator[tuple[int, int]]:
    """Places of bare names that a function around them binds, parameters included."""
    if isinstance(node, _FUNCTIONS):
        inside = node.body if isinstance(node.body, list) else []
        arguments = [item.arg for item in ast.walk(node.args) if isinstance(item, ast.arg)]
        bound = bound or name in arguments or _binds(inside, name)
    elif isinstance(node, _COMPREHENSIONS):
        bound = bound or any(_stores(item.target, name) for item in node.generators)
    if bound and isinstance(node, (ast.Name, ast.arg, ast.ExceptHandler)):
        yield node.lineno, node.col_offset
    for child in ast.iter_child_nodes(node):
        yield from _local_names(child, name, bound=bound)


def _binds(body: list[ast.stmt], name: str) -> bool:
    """Whether statements bind a name, outside the functions and types in them."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.name == name:
                return True
            continue
        if isinstance(node, ast.alias) and (node.asname or node.name.split(".")[0]) in (name, "*"):
            return True
        if _stores(node, name) or (isinstance(node, ast.ExceptHandler) and node.name == name):
            return True
        waiting += ast.iter_child_nodes(node)
    return False


def _stores(node: ast.AST, name: str) -> bool:
    names = [node] if isinstance(node, ast.Name) else ast.walk(node) if isinstance(node, ast.Tuple) else []
    return any(isinstance(item, ast.Name) and item.id == name and isinstance(item.ctx, ast.Store) for item in names)
