"""Symbol nodes: convert symbols to the form shown in answers."""

from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.path_text import display_path
from codecompass.model.queries.navigation_queries import SymbolNode


def build_symbol_node(view: PinnedView, symbol: Symbol) -> SymbolNode:
    item, handles = symbol.definition, view.handles(symbol)
    return SymbolNode(
        symbol_id=handles.symbol_id,
        symbol_stable_id=handles.stable_id,
        kind=item.kind,
        name=item.name,
        qualified_name=symbol.qualified_name,
        path=display_path(symbol.path),
        line_start=item.line_start,
        line_end=item.line_end,
        signature=item.signature,
        language=symbol.language,
    )
