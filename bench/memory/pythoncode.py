"""Definitions and constants of Python files, by the standard parser.

What counts is the program: comments, documentation strings, layout and quotes are left out.
"""

import ast
from collections.abc import Iterator

from bench.memory.facts import Constant, Definition

_LONGEST_LITERAL = 40
_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def python_definitions(text: str) -> list[Definition]:
    """Functions, methods and classes with their dotted names."""
    tree = _parsed(text)
    return [
        Definition(name, _program_of(node), _lines(node), isinstance(node, ast.ClassDef))
        for node, name in (_scopes(tree, "") if tree else ())
    ]


def python_constants(text: str) -> list[Constant]:
    """Names at the top of a module or class, with their number or short text; without one where it is anything else."""
    tree = _parsed(text)
    top = tree.body if tree else []
    inside = [inner for node in top if isinstance(node, ast.ClassDef) for inner in node.body]
    pairs = (_binding(node) for node in (*top, *inside))
    return [Constant(name, value) for name, value in pairs if name]


def is_readable(text: str) -> bool:
    """Whether today's parser reads it; old files are for old interpreters."""
    return _parsed(text) is not None


def _binding(node: ast.stmt) -> tuple[str, str]:
    """The name a statement binds and its literal, empty where it is none."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return "", ""
    if not isinstance(target, ast.Name):
        return "", ""
    plain = isinstance(value, ast.Constant) and isinstance(value.value, (int, float, str))
    shown = ast.unparse(value) if plain else ""
    return target.id, shown if len(shown) <= _LONGEST_LITERAL and "\\n" not in shown else ""


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _scopes(node: ast.AST, prefix: str) -> Iterator[tuple[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SCOPES):
            name = f"{prefix}{child.name}"
            yield child, name
            if isinstance(child, ast.ClassDef):
                yield from _scopes(child, f"{name}.")


def _lines(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _program_of(node: ast.AST) -> str:
    copy = ast.parse(ast.unparse(node))
    for inner in ast.walk(copy):
        if isinstance(inner, _SCOPES) and ast.get_docstring(inner, clean=False) is not None:
            inner.body = inner.body[1:] or [ast.Pass()]
    return ast.dump(copy)
