"""Nesting: which definitions of Python stand inside a function. The indexer names those of methods after the class."""

import ast
from collections.abc import Iterator

Position = tuple[int, str]
"""A line from 1 and a name."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def nested_definitions(source: bytes) -> set[Position]:
    """Definitions with a function around them; none for a file that this interpreter cannot parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    return set(_walk(tree, inside=False))


def _walk(node: ast.AST, *, inside: bool) -> Iterator[Position]:
    for child in ast.iter_child_nodes(node):
        if inside and isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child.lineno, child.name
        yield from _walk(child, inside=inside or isinstance(child, _FUNCTIONS))
