"""Outline: the symbols of one file as a tree, imports included as `use` nodes."""

from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.code.facts import Import
from codecompass.model.queries.results import OutlineNode


def build_outline(
    view: PinnedView, path: str, *, nested: bool, only: Symbol | None = None
) -> tuple[tuple[OutlineNode, ...], int]:
    """Return the roots in line order and the number of nodes; without `nested` only the top level.

    With `only`, that symbol is the single root.
    """
    symbols = view.symbols(path)
    children: dict[int, list[Symbol]] = {}
    for symbol in symbols:
        children.setdefault(symbol.definition.parent, []).append(symbol)
    if only is not None:
        root = _build_node(view, only, children, nested=nested)
        return (root,), _count_nodes(root)
    roots = [_build_node(view, symbol, children, nested=nested) for symbol in children.get(-1, ())]
    uses = [_build_use_node(item) for item in view.facts(path).imports]
    nodes = sorted([*uses, *roots], key=lambda node: (node.line_start, node.line_end))
    return tuple(nodes), len(symbols) + len(uses) if nested else len(nodes)


def _build_node(view: PinnedView, symbol: Symbol, children: dict[int, list[Symbol]], *, nested: bool) -> OutlineNode:
    item, handles = symbol.definition, view.handles(symbol)
    below = children.get(symbol.position, ()) if nested else ()
    return OutlineNode(
        kind=item.kind,
        name=item.name,
        line_start=item.line_start,
        line_end=item.line_end,
        signature=item.signature,
        visibility=item.visibility,
        symbol_id=handles.symbol_id,
        symbol_stable_id=handles.stable_id,
        qualified_name=symbol.qualified_name,
        children=tuple(_build_node(view, child, children, nested=nested) for child in below),
    )


def _count_nodes(node: OutlineNode) -> int:
    return 1 + sum(_count_nodes(child) for child in node.children)


def _build_use_node(item: Import) -> OutlineNode:
    name = f"{item.module}.{item.name}" if item.module and item.name else item.module or item.name
    return OutlineNode("use", f"{name} as {item.alias}" if item.alias else name, item.line, item.line)
