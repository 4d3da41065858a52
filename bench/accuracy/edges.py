"""Edges: the call graph of a small Python project, as we have it and as equal names alone would have it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench.accuracy.ours import Ours
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import HierarchyNode, SymbolTarget
from codecompass.model.queries.results import OutlineNode
from codecompass.model.queries.search_query import HierarchyQuery, ReferenceQuery

Edge = tuple[str, str]
"""Caller and callee, dotted; a module calls what stands outside of functions."""
INIT = "__init__"
_FUNCTIONS = ("fn", "method", "property")
_ALL = 100_000


def module_of(path: str) -> str:
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == INIT and len(parts) > 1 else parts)


@dataclass(frozen=True, slots=True)
class _Known:
    """A definition of ours with its dotted name and the function it stands in."""

    node: OutlineNode
    dotted: str
    caller: str
    """Who calls what is written in this definition: itself if it is a function, else what is around it."""


def our_edges(ours: Ours, paths: list[str], resolutions: tuple[str, ...]) -> set[Edge]:
    """Every call we list among the uses of the project's definitions."""
    known = {item.node.symbol_id: item for path in paths for item in _definitions(ours, path)}
    found = set()
    for item in known.values():
        callee = item.dotted if item.node.kind in _FUNCTIONS else _constructor(ours, item, known)
        if not callee:
            continue
        query = ReferenceQuery(SymbolTarget(handle=item.node.symbol_id), limit=_ALL, freshness="best_effort")
        for use in ours.engine.references(None, query, Call()).uses:
            if use.kind == "call" and use.resolution in resolutions:
                around = known.get(use.inside.symbol_id) if use.inside else None
                found.add((around.caller if around else module_of(use.path), callee))
    return found


def _definitions(ours: Ours, path: str) -> Iterator[_Known]:
    nodes = ours.engine.outline(None, path, None, "all", Call(), "best_effort").nodes
    yield from _below(nodes, module_of(path), module_of(path))


def _below(nodes: tuple[OutlineNode, ...], around: str, caller: str) -> Iterator[_Known]:
    for node in nodes:
        dotted = f"{around}.{node.name}"
        own = dotted if node.kind in _FUNCTIONS else caller
        yield _Known(node, dotted, own)
        yield from _below(node.children, dotted, own)


def _constructor(ours: Ours, item: _Known, known: dict[str, _Known]) -> str:
    """The function that calling a class runs: its own, or the first one above it; empty for what is no class."""
    if item.node.kind != "class":
        return ""
    if any(child.name == INIT for child in item.node.children):
        return f"{item.dotted}.{INIT}"
    query = HierarchyQuery(SymbolTarget(handle=item.node.symbol_id), direction="up", freshness="best_effort")
    for above in _upwards(ours.engine.hierarchy(None, query, Call()).supertypes):
        other = known.get(above)
        if other and any(child.name == INIT for child in other.node.children):
            return f"{other.dotted}.{INIT}"
    return ""


def _upwards(nodes: tuple[HierarchyNode, ...]) -> Iterator[str]:
    for node in nodes:
        if node.symbol is not None:
            yield node.symbol.symbol_id
        yield from _upwards(node.children)


def same_name_edges(root: Path, paths: list[str]) -> set[Edge]:
    """A call of a name reaches every function of that name, and the constructor of every class of that name."""
    trees = {path: ast.parse((root / path).read_bytes()) for path in paths}
    functions: dict[str, list[str]] = {}
    for path, tree in trees.items():
        for name, dotted in _functions(tree, module_of(path)):
            functions.setdefault(name, []).append(dotted)
    return {
        (caller, callee)
        for path, tree in trees.items()
        for caller, name in _calls(tree, module_of(path))
        for callee in functions.get(name, ())
    }


def _functions(node: ast.AST, around: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            dotted = f"{around}.{child.name}"
            if not isinstance(child, ast.ClassDef):
                yield child.name, dotted
            elif any(isinstance(item, ast.FunctionDef) and item.name == INIT for item in child.body):
                yield child.name, f"{dotted}.{INIT}"
            yield from _functions(child, dotted)
        else:
            yield from _functions(child, around)


def _calls(node: ast.AST, caller: str, around: str = "") -> Iterator[tuple[str, str]]:
    """Caller and the last part of the called name; a class is part of the caller's name but calls nothing itself."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name | ast.Attribute):
            yield caller, child.func.id if isinstance(child.func, ast.Name) else child.func.attr
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            dotted = f"{around or caller}.{child.name}"
            yield from _calls(child, dotted, dotted)
        elif isinstance(child, ast.ClassDef):
            yield from _calls(child, caller, f"{around or caller}.{child.name}")
        else:
            yield from _calls(child, caller, around)
